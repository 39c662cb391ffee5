/**
 * Gives a request its answer when it is its turn: what time has brought to what it may see comes first (part 3, "Trigger"), then a place
 * among the requests under way (part 8), then its work: a change in line with all others, a read of what is committed. What the work is,
 * `plan/endpoint-plan.ts` has compiled.
 */
import { partAt, type ExpressionPorts, type Value } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Transaction } from "../../store/store.ts";
import { after, type Awaitable, withRecovery } from "../../support/awaitable.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { askingWhoCalls } from "../background/needs.ts";
import { type DueScope, type DueTimers, Unsettled } from "../background/due.ts";
import { type Answer, startAttempt, type RequestContext, type ParsedRequest } from "../request-context.ts";
import { type CheckDeadline, createDeadline } from "../limits/deadline.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { UnitOfWork } from "../evaluation/context.ts";
import type { SpanContext, Tracer } from "../trace.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { keepsPasswords, type SlowWork, describing, withSlowSecrets } from "../secrets/slow-secrets.ts";
import { addressKey } from "../steps/limit.ts";
import type { PlannedRequest } from "../plan/planned-request.ts";

export interface RequestRunner {
  /** Asked before a body is waited for: whether it is known for certain who sends it. @throws Problem where it isn't taken */
  admit(planned: PlannedRequest): Awaitable<boolean>;
  answer(planned: PlannedRequest): Awaitable<Answer>;
  /** Resolves when all is read from the store for answers whose changes are committed. */
  finished(): Promise<void>;
}

export interface RequestRunnerParts {
  readonly secrets: Secrets;
  readonly timers: DueTimers;
  newWork(transaction: Transaction | null): UnitOfWork;
  readonly tracer?: Tracer | undefined;
}

/** One attempt, in a work of its own. */
type Run<T = Answer> = (ports: ExpressionPorts) => Awaitable<T>;

export function createRequestRunner(
  { model, store, ports, stateChanges }: PlanContext,
  { secrets, timers, newWork, tracer }: RequestRunnerParts,
): RequestRunner {
  const { clock } = ports;
  /** Reads leave no traces, so they share one. */
  const reading = newWork(null);

  /** Each attempt begins with what was read of the request, and with nothing that a former one has found. */
  const startRun = (
    planned: PlannedRequest,
    work: UnitOfWork,
    expressionPorts?: ExpressionPorts,
  ): RequestContext => {
    planned.lastAttempt = startAttempt(planned.parsed, work, expressionPorts);
    return planned.lastAttempt;
  };

  const run = (
    planned: PlannedRequest,
    work: UnitOfWork,
    expressionPorts: ExpressionPorts,
    checkDeadline: CheckDeadline,
  ): Awaitable<Answer> => {
    checkDeadline();
    return after(
      planned.plan.answer(startRun(planned, work, expressionPorts), planned.credentials),
      (made) => {
        checkDeadline();
        return made;
      },
    );
  };

  const withPasswords = <T>(planned: PlannedRequest, work: Run<T>): Awaitable<T> =>
    keepsPasswords(model)
      ? withSlowSecrets(secrets, planned.parsed.frame.ports, {
          ...passwordsOf(planned.parsed),
          isLast: () => planned.lastAttempt?.evaluation.work.calledAuthorCode === true,
          run: async (own) => work(own),
        })
      : work(planned.parsed.frame.ports);

  /** In its own transaction; there nothing that it may see is left to be settled. */
  const write = (planned: PlannedRequest, checkDeadline: CheckDeadline): Awaitable<Answer> => {
    const dueScope = dueScopeOf(planned);
    const { trace } = planned;
    let doneMs = 0;
    const workOf = (transaction: Transaction): UnitOfWork => {
      const work = newWork(transaction);
      work.trace = trace ?? null;
      return work;
    };
    const inTransaction = (expressionPorts: ExpressionPorts): Promise<Answer> => {
      const written = store.write(
        (transaction) =>
          // A write before this one may have made something due.
          after(timers.isSettledFor(dueScope, transaction), (isUpToDate) => {
            if (!isUpToDate) throw new Unsettled();
            const running = run(planned, workOf(transaction), expressionPorts, checkDeadline);
            if (!trace || !tracer) return running;
            return after(running, (answer) => {
              doneMs = tracer.now();
              return answer;
            });
          }),
        planned.plan.writing,
      );
      return timers.any
        ? written.catch(async (error: unknown) => {
            if (!(error instanceof Unsettled)) throw error;
            await timers.settleFor(dueScope, checkDeadline);
            return inTransaction(expressionPorts);
          })
        : written;
    };
    return after(withPasswords(planned, inTransaction), (answer) => {
      if (trace && tracer) recordCommit(tracer, trace, doneMs);
      const work = planned.lastAttempt?.evaluation.work;
      const due = work?.earliestDueMs ?? null;
      if (due !== null) timers.armed(due);
      if (work && stateChanges.hasListeners) stateChanges.publish([work.journal]);
      return answer;
    });
  };

  /**
   * Of what is committed. Where a commit came in between that has made something due which the request may see, it may have seen the one
   * without the other: then it is read again. What has called the author's functions is not, for those are called once; so all that
   * commits may have made due while a password was compared is settled before they are.
   */
  const read = (
    planned: PlannedRequest,
    checkDeadline: CheckDeadline,
    upToDateAt: number,
  ): Awaitable<Answer> => {
    const once: Run = (expressionPorts) => run(planned, reading, expressionPorts, checkDeadline);
    return timers.any ? readUpToDate(planned, checkDeadline, upToDateAt) : withPasswords(planned, once);
  };

  const readUpToDate = async (
    planned: PlannedRequest,
    checkDeadline: CheckDeadline,
    upToDateAt: number,
  ): Promise<Answer> => {
    let asOf = upToDateAt;
    let hasCalled = false;
    const runDue = async (): Promise<boolean> => {
      if (timers.commits === asOf || !timers.mayBeDue(planned.parsed.nowMs)) return false;
      const result = await timers.settleFor(dueScopeOf(planned), checkDeadline);
      asOf = result.commits;
      return result.any;
    };
    const once: Run = (own) => {
      const functions = own.functions && describing(own.functions, () => (hasCalled = true));
      const attempted = () => run(planned, reading, functions ? { ...own, functions } : own, checkDeadline);
      return timers.commits === asOf ? attempted() : runDue().then(attempted);
    };
    for (;;) {
      const failed = (error: unknown) => ({ error });
      const made = await withRecovery<Answer | { error: unknown }>(
        () => withPasswords(planned, once),
        failed,
      );
      if (!hasCalled && (await runDue())) continue;
      if ("error" in made) throw made.error;
      return made;
    }
  };

  const answerNow = (
    planned: PlannedRequest,
    checkDeadline: CheckDeadline,
    asOf: number,
  ): Awaitable<Answer> => {
    const running = planned.plan.writes ? write(planned, checkDeadline) : read(planned, checkDeadline, asOf);
    // Outside of its transaction and of its time-out: a held answer, a stream.
    return after(running, (answer) => {
      planned.isCommitted = true;
      return answer.afterwards ? track(answer.afterwards()) : answer;
    });
  };

  /** With a place among the requests under way, and what is due settled before anything is looked at. */
  const answerInSlot = async (planned: PlannedRequest): Promise<Answer> => {
    const { plan, credentials } = planned;
    const { nowMs } = planned.parsed;
    let checkDeadline = createDeadline(clock, nowMs, plan.bounds.timeoutMs);
    let asOf = timers.commits;
    // What is due happens before any later request sees the record: who calls, and whether there is a place, is such a look already.
    const runDue = async () => {
      asOf = timers.commits;
      if (timers.mayBeDue(nowMs)) asOf = (await timers.settleFor(dueScopeOf(planned), checkDeadline)).commits;
    };
    await runDue();
    // Who it is, and what it takes, is looked at in an attempt that goes no further.
    const { acquireSlot } = plan;
    const slot =
      acquireSlot &&
      (await withPasswords(planned, (own) => acquireSlot(startRun(planned, reading, own), credentials)));
    let answer: Answer | undefined;
    try {
      if (slot) {
        checkDeadline = createDeadline(clock, nowMs + slot.waitedMs, plan.bounds.timeoutMs);
        await runDue();
      }
      checkDeadline();
      answer = await answerNow(planned, checkDeadline, asOf);
      return answer;
    } finally {
      // A stream keeps its place as long as it lives.
      if (slot && answer?.stream) void answer.stream.closed.then(() => slot.leave());
      else if (slot) {
        // Where others share them, whoever has the answer may ask one of these next.
        const leaving = slot.leave();
        if (leaving instanceof Promise) await leaving;
      }
    }
  };

  /** What is still to be read from the store for answers whose changes are committed. */
  const pendingAnswers = new Set<Promise<Answer>>();
  const track = (answer: Promise<Answer>): Promise<Answer> => {
    pendingAnswers.add(answer);
    const forget = () => void pendingAnswers.delete(answer);
    answer.then(forget, forget);
    return answer;
  };

  const callerScope = memoizeBy((endpoint: Endpoint) => askingWhoCalls(endpoint));

  return {
    admit(planned) {
      const { plan, parsed, credentials } = planned;
      const { request, nowMs, frame } = parsed;
      const admitting = () => plan.admit(startRun(planned, reading), credentials);
      if (!timers.any || !timers.mayBeDue(nowMs)) return admitting();
      // Part 3: what is due for the caller happens before it is asked who calls.
      const endpoint = callerScope(plan.endpoint);
      const context = { endpoint, request, parameters: {}, inputs: { references: [] }, frame };
      return after(
        timers.settleFor({ exchange: context, carried: credentials, nowMs }, () => {}),
        admitting,
      );
    },
    answer(planned) {
      const { plan } = planned;
      if (timers.any || plan.acquireSlot) return answerInSlot(planned);
      const checkDeadline = createDeadline(clock, planned.parsed.nowMs, plan.bounds.timeoutMs);
      return answerNow(planned, checkDeadline, timers.commits);
    },
    async finished() {
      await Promise.allSettled(pendingAnswers);
    },
  };
}

function dueScopeOf({ parsed, credentials }: PlannedRequest): DueScope {
  return { exchange: parsed, carried: credentials, nowMs: parsed.nowMs };
}

/** Who waits for their passwords, and which came with the request. */
function passwordsOf({
  request,
  endpoint,
  inputs,
}: ParsedRequest): Pick<SlowWork<Answer>, "for" | "from" | "isSent"> {
  const texts = new Set<Value>();
  for (const input of endpoint.inputs) {
    if (input.type.kind !== "password") continue;
    texts.add(partAt(inputs.body, input.name) ?? null);
  }
  return {
    for: request,
    from: () => ({ address: addressKey(request.remoteAddress), signal: request.signal }),
    isSent: (text) => texts.has(text),
  };
}

/** From when its work was done until it was safe, together with the others of its group. */
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
