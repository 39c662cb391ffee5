/**
 * Gives a request its answer when it is its turn: what time has brought to what it may see comes first (part 3, "Trigger"), then a place
 * among the requests under way (part 8), then its work: a change in line with all others, a read of what is committed. What the work is,
 * `plan/endpoint-plan.ts` has compiled.
 */
import type { ExpressionPorts, Frame, Value } from "../expressions/value.ts";
import type { Endpoint } from "../model/model.ts";
import type { Transaction } from "../store/store.ts";
import { after, type Awaitable, recovering } from "../support/awaitable.ts";
import { bareObject } from "../support/bare-object.ts";
import { type Asking, type DueTimers, Unsettled } from "./background/due.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { type CheckDeadline, createDeadline } from "./limits/deadline.ts";
import type { PlanContext } from "./plan/context.ts";
import type { EndpointPlan } from "./plan/endpoint-plan.ts";
import { createScene, type Work } from "./records/scene.ts";
import type { Secrets } from "./secrets.ts";
import { withSlowSecrets } from "./slow-secrets.ts";
import type { Carried } from "./steps/authenticate.ts";

export interface AnswersInTurn {
  answer(plan: EndpointPlan, exchange: Exchange, carried: Carried, frame: Frame): Awaitable<Answer>;
  /** Resolves when all is read from the store for answers whose changes are committed. */
  finished(): Promise<void>;
}

export interface TurnParts {
  readonly secrets: Secrets;
  readonly timers: DueTimers;
  newWork(transaction: Transaction | null): Work;
}

/** A request whose turn it is, and the frame that it is asked in. */
interface Turn extends Asking {
  readonly plan: EndpointPlan;
  readonly exchange: Exchange;
  readonly frame: Frame;
}

/** A request's work, which may be done again: each run starts from what was read of it, not from what a former one has left. */
type Run = (ports: ExpressionPorts) => Awaitable<Answer>;

export function createAnswersInTurn(
  { model, store, ports }: PlanContext,
  { secrets, timers, newWork }: TurnParts,
): AnswersInTurn {
  const { clock } = ports;
  const keepsPasswords = model.resources.some((one) =>
    one.fields.some((field) => field.type.kind === "password"),
  );
  /** Reads leave no traces, so they share one. */
  const reading = newWork(null);

  /** Each run of the request's work, in a scene of its own. */
  const createRuns = ({ plan, exchange, carried, frame }: Turn, checkDeadline: CheckDeadline) => {
    const plain = { ...frame, named: { ...frame.named } };
    let runs = 0;
    return (work: Work, expressionPorts: ExpressionPorts): Awaitable<Answer> => {
      runs += 1;
      if (runs > 1 || work.transaction) checkDeadline();
      if (runs === 1) {
        frame.ports = expressionPorts;
        exchange.scene = createScene(work, frame);
      } else {
        const named = Object.assign(bareObject(), plain.named);
        exchange.scene = createScene(work, { ...plain, named, ports: expressionPorts });
      }
      return after(plan.answer(exchange, carried), (made) => {
        checkDeadline();
        return made;
      });
    };
  };

  const slowly = ({ exchange, frame }: Turn, run: Run): Awaitable<Answer> =>
    keepsPasswords
      ? withSlowSecrets(secrets, frame.ports, passwordsIn(exchange, exchange.endpoint), async (own) =>
          run(own),
        )
      : run(frame.ports);

  /** In its own transaction; there nothing that it may see is left to be settled. */
  const write = (turn: Turn, checkDeadline: CheckDeadline): Awaitable<Answer> => {
    const work = createRuns(turn, checkDeadline);
    const inTransaction = (expressionPorts: ExpressionPorts): Promise<Answer> => {
      const written = store.write((transaction) =>
        // A write before this one may have made something due.
        after(timers.isSettledFor(turn, transaction), (isSettled) => {
          if (!isSettled) throw new Unsettled();
          return work(newWork(transaction), expressionPorts);
        }),
      );
      return timers.any
        ? written.catch(async (error: unknown) => {
            if (!(error instanceof Unsettled)) throw error;
            await timers.settleFor(turn, checkDeadline);
            return inTransaction(expressionPorts);
          })
        : written;
    };
    return after(slowly(turn, inTransaction), (answer) => {
      const due = turn.exchange.scene.work.soonestDue;
      if (due !== null) timers.armed(due);
      return answer;
    });
  };

  /**
   * Of what is committed. Where a commit came in between that has made something due which the request may see, it may have seen the one
   * without the other: then it is read again.
   */
  const read = (turn: Turn, checkDeadline: CheckDeadline, settledAt: number): Awaitable<Answer> => {
    const work = createRuns(turn, checkDeadline);
    const run: Run = (expressionPorts) => work(reading, expressionPorts);
    return timers.any ? readSettled(turn, checkDeadline, settledAt, run) : slowly(turn, run);
  };

  const readSettled = async (
    turn: Turn,
    checkDeadline: CheckDeadline,
    settledAt: number,
    run: Run,
  ): Promise<Answer> => {
    for (let asOf = settledAt; ; ) {
      const failed = (error: unknown) => ({ error });
      const made = await recovering<Answer | { error: unknown }>(() => slowly(turn, run), failed);
      if (timers.commits !== asOf && timers.mayBeDue(turn.nowMs)) {
        const settled = await timers.settleFor(turn, checkDeadline);
        asOf = settled.commits;
        if (settled.any) continue;
      }
      if ("error" in made) throw made.error;
      return made;
    }
  };

  const run = (turn: Turn, checkDeadline: CheckDeadline, asOf: number): Awaitable<Answer> => {
    const running = turn.plan.writes ? write(turn, checkDeadline) : read(turn, checkDeadline, asOf);
    // Outside of its transaction and of its time-out: a held answer, a stream.
    return after(running, (answer) => (answer.afterwards ? later(answer.afterwards()) : answer));
  };

  /** With a place among the requests under way, and what is due settled before anything is looked at. */
  const runInPlace = async (turn: Turn): Promise<Answer> => {
    const { plan, exchange, carried, nowMs } = turn;
    let checkDeadline = createDeadline(clock, nowMs, plan.bounds.timeoutMs);
    let asOf = timers.commits;
    // What is due happens before any later request sees the record: who calls, and whether there is a place, is such a look already.
    const settle = async () => {
      asOf = timers.commits;
      if (timers.mayBeDue(nowMs)) asOf = (await timers.settleFor(turn, checkDeadline)).commits;
    };
    await settle();
    const leave = plan.takePlace && (await plan.takePlace(exchange, carried));
    let answer: Answer | undefined;
    try {
      if (leave) {
        checkDeadline = createDeadline(clock, nowMs + (exchange.heldMs ?? 0), plan.bounds.timeoutMs);
        await settle();
      }
      checkDeadline();
      answer = await run(turn, checkDeadline, asOf);
      return answer;
    } finally {
      // A stream keeps its place as long as it lives.
      if (leave && answer?.stream) void answer.stream.closed.then(leave);
      else leave?.();
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

  return {
    answer(plan, exchange, carried, frame) {
      const { nowMs } = exchange;
      const turn: Turn = { plan, exchange, carried, nowMs, frame };
      if (timers.any || plan.takePlace) return runInPlace(turn);
      return run(turn, createDeadline(clock, nowMs, plan.bounds.timeoutMs), timers.commits);
    },
    async finished() {
      await Promise.allSettled(toCome);
    },
  };
}

/** Asked whether a text is one of the passwords that came with the request. */
function passwordsIn(exchange: Exchange, endpoint: Endpoint): (text: string) => boolean {
  const texts = new Set<Value>();
  for (const input of endpoint.inputs) {
    if (input.type.kind !== "password") continue;
    let value: Value | undefined = exchange.inputs.body;
    for (const part of input.name)
      value = (value as { readonly [key: string]: Value } | null)?.[part] ?? null;
    texts.add(value ?? null);
  }
  return (text) => texts.has(text);
}
