/**
 * Request execution. It runs due transitions that the request can read (part 3, "Trigger"),
 * acquires a concurrency slot (part 8), and runs the request. A change goes through the write
 * queue; a read reads committed data. `plan/endpoint-plan.ts` has compiled the endpoint's own
 * steps.
 */
import { partAt, type ExpressionPorts, type Value } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Transaction } from "../../store/store.ts";
import { after, type Awaitable, withRecovery } from "../../support/awaitable.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { identifyingCaller } from "../background/endpoint-scope.ts";
import { type DueScope, type DueTimers, PendingDueWork } from "../background/due.ts";
import { type Answer, startAttempt, type RequestContext, type ParsedRequest } from "../request-context.ts";
import { type CheckDeadline, createDeadline } from "../limits/deadline.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { UnitOfWork } from "../evaluation/context.ts";
import type { SpanContext, Tracer } from "../trace.ts";
import type { Secrets } from "../secrets/secrets.ts";
import {
  hasPasswords,
  type HashingWork,
  observeCalls,
  withHashedSecrets,
} from "../secrets/hashed-secrets.ts";
import { addressKey } from "../steps/limit.ts";
import type { PlannedRequest } from "../plan/planned-request.ts";

export interface RequestRunnerParts {
  readonly secrets: Secrets;
  readonly timers: DueTimers;
  newWork(transaction: Transaction | null): UnitOfWork;
  readonly tracer?: Tracer | undefined;
}

/** One attempt at a request, in its own unit of work. */
type Run<T = Answer> = (ports: ExpressionPorts) => Awaitable<T>;

export class RequestRunner {
  readonly #context: PlanContext;
  readonly #timers: DueTimers;
  readonly #secrets: Secrets;
  readonly #newWork: RequestRunnerParts["newWork"];
  readonly #tracer: Tracer | undefined;
  /** Reads have no side effects, so they share one unit of work. */
  readonly #reading: UnitOfWork;
  /** Pending reads that compute responses after their changes are committed. */
  readonly #pendingAnswers = new Set<Promise<Answer>>();
  readonly #callerScope = memoizeBy((endpoint: Endpoint) => identifyingCaller(endpoint));

  constructor(context: PlanContext, { secrets, timers, newWork, tracer }: RequestRunnerParts) {
    this.#context = context;
    this.#timers = timers;
    this.#secrets = secrets;
    this.#newWork = newWork;
    this.#tracer = tracer;
    this.#reading = newWork(null);
  }

  /**
   * Checks the request before its body is awaited. Returns whether the caller is authenticated.
   * @throws Problem if the request is rejected
   */
  admit(planned: PlannedRequest): Awaitable<boolean> {
    const { plan, parsed, credentials } = planned;
    const { request, nowMs, frame } = parsed;
    const admitting = () => plan.admit(this.#startRun(planned, this.#reading), credentials);
    if (!this.#timers.any || !this.#timers.mayBeDue(nowMs)) return admitting();
    // Part 3: the caller's due transitions run before authentication.
    const endpoint = this.#callerScope(plan.endpoint);
    const exchange = { endpoint, request, parameters: {}, inputs: { references: [] }, frame };
    return after(
      this.#timers.runDueOf({ exchange, carried: credentials, nowMs }, () => {}),
      admitting,
    );
  }

  answer(planned: PlannedRequest): Awaitable<Answer> {
    const { plan } = planned;
    if (this.#timers.any || plan.acquireSlot) return this.#answerInSlot(planned);
    const { clock } = this.#context.ports;
    const checkDeadline = createDeadline(clock, planned.parsed.nowMs, plan.bounds.timeoutMs);
    return this.#answerNow(planned, checkDeadline, this.#timers.commits);
  }

  /** Resolves when all pending reads of committed changes have finished. */
  async finished(): Promise<void> {
    await Promise.allSettled(this.#pendingAnswers);
  }

  /** Starts an attempt from the parsed request. The attempt reads nothing of an earlier attempt. */
  #startRun(planned: PlannedRequest, work: UnitOfWork, expressionPorts?: ExpressionPorts): RequestContext {
    planned.lastAttempt = startAttempt(planned.parsed, work, expressionPorts);
    return planned.lastAttempt;
  }

  #run(
    planned: PlannedRequest,
    work: UnitOfWork,
    expressionPorts: ExpressionPorts,
    checkDeadline: CheckDeadline,
  ): Awaitable<Answer> {
    checkDeadline();
    return after(
      planned.plan.answer(this.#startRun(planned, work, expressionPorts), planned.credentials),
      (made) => {
        checkDeadline();
        return made;
      },
    );
  }

  #withPasswords<T>(planned: PlannedRequest, work: Run<T>): Awaitable<T> {
    return hasPasswords(this.#context.model)
      ? withHashedSecrets(this.#secrets, planned.parsed.frame.ports, {
          ...passwordsOf(planned.parsed),
          isLast: () => planned.lastAttempt?.evaluation.work.calledAuthorCode === true,
          run: async (own) => work(own),
        })
      : work(planned.parsed.frame.ports);
  }

  /**
   * Runs the request in its own transaction, after all due transitions that the request can read.
   */
  #write(planned: PlannedRequest, checkDeadline: CheckDeadline): Awaitable<Answer> {
    const dueScope = dueScopeOf(planned);
    const { trace } = planned;
    const tracer = this.#tracer;
    let doneMs = 0;
    const workOf = (transaction: Transaction): UnitOfWork => {
      const work = this.#newWork(transaction);
      work.trace = trace ?? null;
      return work;
    };
    const inTransaction = (expressionPorts: ExpressionPorts): Promise<Answer> => {
      const written = this.#context.store.write(
        (transaction) =>
          // An earlier write may have caused due transitions.
          after(this.#timers.hasNoDueWork(dueScope, transaction), (isUpToDate) => {
            if (!isUpToDate) throw new PendingDueWork();
            const running = this.#run(planned, workOf(transaction), expressionPorts, checkDeadline);
            if (!trace || !tracer) return running;
            return after(running, (answer) => {
              doneMs = tracer.now();
              return answer;
            });
          }),
        planned.plan.writing,
      );
      return this.#timers.any
        ? written.catch(async (error: unknown) => {
            if (!(error instanceof PendingDueWork)) throw error;
            await this.#timers.runDueOf(dueScope, checkDeadline);
            return inTransaction(expressionPorts);
          })
        : written;
    };
    return after(this.#withPasswords(planned, inTransaction), (answer) => {
      if (trace && tracer) recordCommit(tracer, trace, doneMs);
      const work = planned.lastAttempt?.evaluation.work;
      const due = work?.earliestDueMs ?? null;
      if (due !== null) this.#timers.armed(due);
      const { stateChanges } = this.#context;
      if (work && stateChanges.hasListeners) stateChanges.publish([work.journal]);
      return answer;
    });
  }

  /**
   * Calls `prepare` of the request's handler on committed data. Other requests don't wait for it.
   */
  async #prepare(planned: PlannedRequest, checkDeadline: CheckDeadline): Promise<void> {
    await this.#withPasswords(planned, async (own) => {
      const attempt = this.#startRun(planned, this.#newWork(null), own);
      return planned.plan.prepare?.(attempt, planned.credentials);
    });
    checkDeadline();
  }

  /**
   * Reads committed data. If a commit makes a transition due that the request can read, the read
   * may be inconsistent and is repeated. A read that has called the author's functions is not
   * repeated, because the engine calls those once. So transitions that became due during a password
   * comparison run before that call.
   */
  #read(planned: PlannedRequest, checkDeadline: CheckDeadline, upToDateAt: number): Awaitable<Answer> {
    const once: Run = (expressionPorts) => this.#run(planned, this.#reading, expressionPorts, checkDeadline);
    return this.#timers.any
      ? this.#readUpToDate(planned, checkDeadline, upToDateAt)
      : this.#withPasswords(planned, once);
  }

  async #readUpToDate(
    planned: PlannedRequest,
    checkDeadline: CheckDeadline,
    upToDateAt: number,
  ): Promise<Answer> {
    let asOf = upToDateAt;
    let hasCalled = false;
    const runDue = async (): Promise<boolean> => {
      if (this.#timers.commits === asOf || !this.#timers.mayBeDue(planned.parsed.nowMs)) return false;
      const result = await this.#timers.runDueOf(dueScopeOf(planned), checkDeadline);
      asOf = result.commits;
      return result.any;
    };
    const once: Run = (own) => {
      const functions = own.functions && observeCalls(own.functions, () => (hasCalled = true));
      const attempted = () =>
        this.#run(planned, this.#reading, functions ? { ...own, functions } : own, checkDeadline);
      return this.#timers.commits === asOf ? attempted() : runDue().then(attempted);
    };
    for (;;) {
      const failed = (error: unknown) => ({ error });
      const made = await withRecovery<Answer | { error: unknown }>(
        () => this.#withPasswords(planned, once),
        failed,
      );
      if (!hasCalled && (await runDue())) continue;
      if ("error" in made) throw made.error;
      return made;
    }
  }

  #answerNow(planned: PlannedRequest, checkDeadline: CheckDeadline, asOf: number): Awaitable<Answer> {
    const running = planned.plan.prepare
      ? this.#prepare(planned, checkDeadline).then(() => this.#write(planned, checkDeadline))
      : planned.plan.writes
        ? this.#write(planned, checkDeadline)
        : this.#read(planned, checkDeadline, asOf);
    // A held response or a stream runs outside the transaction and its time-out.
    return after(running, (answer) => {
      planned.isCommitted = true;
      return answer.afterwards ? this.#track(answer.afterwards()) : answer;
    });
  }

  /** Acquires a concurrency slot, and runs due transitions before the first read. */
  async #answerInSlot(planned: PlannedRequest): Promise<Answer> {
    const { plan, credentials } = planned;
    const { nowMs } = planned.parsed;
    let checkDeadline = createDeadline(this.#context.ports.clock, nowMs, plan.bounds.timeoutMs);
    let asOf = this.#timers.commits;
    // Due transitions run before a later request reads the record. Authentication and the
    // concurrency limit read records too.
    const runDue = async () => {
      asOf = this.#timers.commits;
      if (this.#timers.mayBeDue(nowMs))
        asOf = (await this.#timers.runDueOf(dueScopeOf(planned), checkDeadline)).commits;
    };
    await runDue();
    // A separate attempt determines the caller and the slots, and stops after these steps.
    const { acquireSlot } = plan;
    const slot =
      acquireSlot &&
      (await this.#withPasswords(planned, (own) =>
        acquireSlot(this.#startRun(planned, this.#reading, own), credentials),
      ));
    let answer: Answer | undefined;
    try {
      if (slot) {
        checkDeadline = createDeadline(
          this.#context.ports.clock,
          nowMs + slot.waitedMs,
          plan.bounds.timeoutMs,
        );
        await runDue();
      }
      checkDeadline();
      answer = await this.#answerNow(planned, checkDeadline, asOf);
      return answer;
    } finally {
      // A stream keeps its slot until the stream is closed.
      if (slot && answer?.stream) void answer.stream.closed.then(() => slot.leave());
      else if (slot) {
        // If instances share slots, the client may send its next request to another instance. So
        // the slot is released before the response is sent.
        const leaving = slot.leave();
        if (leaving instanceof Promise) await leaving;
      }
    }
  }

  /** Waits for a read that computes a response after its changes are committed, before the end. */
  #track(answer: Promise<Answer>): Promise<Answer> {
    this.#pendingAnswers.add(answer);
    const forget = () => void this.#pendingAnswers.delete(answer);
    answer.then(forget, forget);
    return answer;
  }
}

function dueScopeOf({ parsed, credentials }: PlannedRequest): DueScope {
  return { exchange: parsed, carried: credentials, nowMs: parsed.nowMs };
}

/** The request's entry in the password queue, and the passwords that the request contains. */
function passwordsOf({
  request,
  endpoint,
  inputs,
}: ParsedRequest): Pick<HashingWork<Answer>, "for" | "from" | "isSent"> {
  const texts = new Set<Value>();
  for (const input of endpoint.inputs) {
    if (input.type.kind !== "password") continue;
    for (const body of inputs.elements ?? [inputs.body]) texts.add(partAt(body, input.name) ?? null);
  }
  return {
    for: request,
    from: () => ({ address: addressKey(request.remoteAddress), signal: request.signal }),
    isSent: (text) => texts.has(text),
  };
}

/** Records a span from the end of the work until the commit of its group. */
function recordCommit(tracer: Tracer, trace: SpanContext, beganMs: number): void {
  const slot = tracer.within(trace);
  tracer.record({
    context: slot,
    name: "commit",
    kind: "internal",
    beganMs,
    endedMs: tracer.now(),
    attributes: {},
  });
}
