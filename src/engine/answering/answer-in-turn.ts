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
import { type Asking, type DueTimers, Unsettled } from "../background/due.ts";
import { type Answer, startAttempt, type RequestContext, type ParsedRequest } from "../request-context.ts";
import { type CheckDeadline, createDeadline } from "../limits/deadline.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { UnitOfWork } from "../evaluation/context.ts";
import type { SpanPlace, Tracer } from "../trace.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { keepsPasswords, type SlowWork, telling, withSlowSecrets } from "../secrets/slow-secrets.ts";
import { addressKey } from "../steps/limit.ts";
import type { Turn } from "../plan/turn.ts";

export interface AnswersInTurn {
  /** Asked before a body is waited for: whether it is known for certain who sends it. @throws Problem where it isn't taken */
  admit(turn: Turn): Awaitable<boolean>;
  answer(turn: Turn): Awaitable<Answer>;
  /** Resolves when all is read from the store for answers whose changes are committed. */
  finished(): Promise<void>;
}

export interface TurnParts {
  readonly secrets: Secrets;
  readonly timers: DueTimers;
  newWork(transaction: Transaction | null): UnitOfWork;
  readonly tracer?: Tracer | undefined;
}

/** One attempt, in a work of its own. */
type Run<T = Answer> = (ports: ExpressionPorts) => Awaitable<T>;

export function createAnswersInTurn(
  { model, store, ports, moves }: PlanContext,
  { secrets, timers, newWork, tracer }: TurnParts,
): AnswersInTurn {
  const { clock } = ports;
  /** Reads leave no traces, so they share one. */
  const reading = newWork(null);

  /** Each attempt begins with what was read of the request, and with nothing that a former one has found. */
  const begin = (turn: Turn, work: UnitOfWork, expressionPorts?: ExpressionPorts): RequestContext => {
    turn.last = startAttempt(turn.read, work, expressionPorts);
    return turn.last;
  };

  const run = (
    turn: Turn,
    work: UnitOfWork,
    expressionPorts: ExpressionPorts,
    checkDeadline: CheckDeadline,
  ): Awaitable<Answer> => {
    checkDeadline();
    return after(turn.plan.answer(begin(turn, work, expressionPorts), turn.carried), (made) => {
      checkDeadline();
      return made;
    });
  };

  const slowly = <T>(turn: Turn, work: Run<T>): Awaitable<T> =>
    keepsPasswords(model)
      ? withSlowSecrets(secrets, turn.read.frame.ports, {
          ...passwordsOf(turn.read),
          isLast: () => turn.last?.evaluation.work.calledAuthorCode === true,
          run: async (own) => work(own),
        })
      : work(turn.read.frame.ports);

  /** In its own transaction; there nothing that it may see is left to be settled. */
  const write = (turn: Turn, checkDeadline: CheckDeadline): Awaitable<Answer> => {
    const asking = askingOf(turn);
    const { trace } = turn;
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
          after(timers.isSettledFor(asking, transaction), (isSettled) => {
            if (!isSettled) throw new Unsettled();
            const running = run(turn, workOf(transaction), expressionPorts, checkDeadline);
            if (!trace || !tracer) return running;
            return after(running, (answer) => {
              doneMs = tracer.now();
              return answer;
            });
          }),
        turn.plan.writing,
      );
      return timers.any
        ? written.catch(async (error: unknown) => {
            if (!(error instanceof Unsettled)) throw error;
            await timers.settleFor(asking, checkDeadline);
            return inTransaction(expressionPorts);
          })
        : written;
    };
    return after(slowly(turn, inTransaction), (answer) => {
      if (trace && tracer) tellCommit(tracer, trace, doneMs);
      const work = turn.last?.evaluation.work;
      const due = work?.earliestDueMs ?? null;
      if (due !== null) timers.armed(due);
      if (work && moves.isHeard) moves.tell([work.journal]);
      return answer;
    });
  };

  /**
   * Of what is committed. Where a commit came in between that has made something due which the request may see, it may have seen the one
   * without the other: then it is read again. What has called the author's functions is not, for those are called once; so all that
   * commits may have made due while a password was compared is settled before they are.
   */
  const read = (turn: Turn, checkDeadline: CheckDeadline, settledAt: number): Awaitable<Answer> => {
    const once: Run = (expressionPorts) => run(turn, reading, expressionPorts, checkDeadline);
    return timers.any ? readSettled(turn, checkDeadline, settledAt) : slowly(turn, once);
  };

  const readSettled = async (
    turn: Turn,
    checkDeadline: CheckDeadline,
    settledAt: number,
  ): Promise<Answer> => {
    let asOf = settledAt;
    let hasCalled = false;
    const settle = async (): Promise<boolean> => {
      if (timers.commits === asOf || !timers.mayBeDue(turn.read.nowMs)) return false;
      const settled = await timers.settleFor(askingOf(turn), checkDeadline);
      asOf = settled.commits;
      return settled.any;
    };
    const once: Run = (own) => {
      const functions = own.functions && telling(own.functions, () => (hasCalled = true));
      const attempted = () => run(turn, reading, functions ? { ...own, functions } : own, checkDeadline);
      return timers.commits === asOf ? attempted() : settle().then(attempted);
    };
    for (;;) {
      const failed = (error: unknown) => ({ error });
      const made = await withRecovery<Answer | { error: unknown }>(() => slowly(turn, once), failed);
      if (!hasCalled && (await settle())) continue;
      if ("error" in made) throw made.error;
      return made;
    }
  };

  const answering = (turn: Turn, checkDeadline: CheckDeadline, asOf: number): Awaitable<Answer> => {
    const running = turn.plan.writes ? write(turn, checkDeadline) : read(turn, checkDeadline, asOf);
    // Outside of its transaction and of its time-out: a held answer, a stream.
    return after(running, (answer) => {
      turn.isDone = true;
      return answer.afterwards ? later(answer.afterwards()) : answer;
    });
  };

  /** With a place among the requests under way, and what is due settled before anything is looked at. */
  const answeringInPlace = async (turn: Turn): Promise<Answer> => {
    const { plan, carried } = turn;
    const { nowMs } = turn.read;
    let checkDeadline = createDeadline(clock, nowMs, plan.bounds.timeoutMs);
    let asOf = timers.commits;
    // What is due happens before any later request sees the record: who calls, and whether there is a place, is such a look already.
    const settle = async () => {
      asOf = timers.commits;
      if (timers.mayBeDue(nowMs)) asOf = (await timers.settleFor(askingOf(turn), checkDeadline)).commits;
    };
    await settle();
    // Who it is, and what it takes, is looked at in an attempt that goes no further.
    const { takePlace } = plan;
    const place = takePlace && (await slowly(turn, (own) => takePlace(begin(turn, reading, own), carried)));
    let answer: Answer | undefined;
    try {
      if (place) {
        checkDeadline = createDeadline(clock, nowMs + place.waitedMs, plan.bounds.timeoutMs);
        await settle();
      }
      checkDeadline();
      answer = await answering(turn, checkDeadline, asOf);
      return answer;
    } finally {
      // A stream keeps its place as long as it lives.
      if (place && answer?.stream) void answer.stream.closed.then(() => place.leave());
      else if (place) {
        // Where others share them, whoever has the answer may ask one of these next.
        const leaving = place.leave();
        if (leaving instanceof Promise) await leaving;
      }
    }
  };

  /** What is still to be read from the store for answers whose changes are committed. */
  const toCome = new Set<Promise<Answer>>();
  const later = (answer: Promise<Answer>): Promise<Answer> => {
    toCome.add(answer);
    const forget = () => void toCome.delete(answer);
    answer.then(forget, forget);
    return answer;
  };

  const whoCalls = memoizeBy((endpoint: Endpoint) => askingWhoCalls(endpoint));

  return {
    admit(turn) {
      const { plan, read, carried } = turn;
      const { request, nowMs, frame } = read;
      const admitting = () => plan.admit(begin(turn, reading), carried);
      if (!timers.any || !timers.mayBeDue(nowMs)) return admitting();
      // Part 3: what is due for the caller happens before it is asked who calls.
      const endpoint = whoCalls(plan.endpoint);
      const context = { endpoint, request, parameters: {}, inputs: { references: [] }, frame };
      return after(
        timers.settleFor({ exchange: context, carried, nowMs }, () => {}),
        admitting,
      );
    },
    answer(turn) {
      const { plan } = turn;
      if (timers.any || plan.takePlace) return answeringInPlace(turn);
      const checkDeadline = createDeadline(clock, turn.read.nowMs, plan.bounds.timeoutMs);
      return answering(turn, checkDeadline, timers.commits);
    },
    async finished() {
      await Promise.allSettled(toCome);
    },
  };
}

function askingOf({ read, carried }: Turn): Asking {
  return { exchange: read, carried, nowMs: read.nowMs };
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
function tellCommit(tracer: Tracer, trace: SpanPlace, beganMs: number): void {
  const place = tracer.within(trace);
  tracer.record({ place, name: "commit", kind: "internal", beganMs, endedMs: tracer.now(), attributes: {} });
}
