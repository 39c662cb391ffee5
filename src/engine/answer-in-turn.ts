/**
 * Gives a request its answer when it is its turn: what time has brought to what it may see comes first (part 3, "Trigger"), then a place
 * among the requests under way (part 8), then its work: a change in line with all others, a read of what is committed. What the work is,
 * `plan/endpoint-plan.ts` has compiled.
 */
import type { ExpressionPorts, Frame, Value } from "../expressions/value.ts";
import type { Endpoint } from "../model/model.ts";
import type { Transaction } from "../store/store.ts";
import { bareObject } from "../support/bare-object.ts";
import { type Asking, type DueTimers, Unsettled } from "./background/due.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { type CheckDeadline, createDeadline } from "./limits/deadline.ts";
import type { PlanContext } from "./plan/context.ts";
import { createScene, type Work } from "./records/scene.ts";
import type { Secrets } from "./secrets.ts";
import { withSlowSecrets } from "./slow-secrets.ts";
import type { Carried } from "./steps/authenticate.ts";

export interface AnswersInTurn {
  answer(exchange: Exchange, carried: Carried, frame: Frame): Promise<Answer>;
  /** Resolves when all is read from the store for answers whose changes are committed. */
  finished(): Promise<void>;
}

export interface TurnParts {
  readonly secrets: Secrets;
  readonly timers: DueTimers;
  newWork(transaction: Transaction | null): Work;
}

/** A request's work, which may be done again: each run starts from what was read of it, not from what a former one has left. */
type Run = (ports: ExpressionPorts) => Promise<Answer>;

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
  const createRuns = (exchange: Exchange, carried: Carried, frame: Frame, checkDeadline: CheckDeadline) => {
    const plain = { ...frame, named: { ...frame.named } };
    let runs = 0;
    return async (work: Work, expressionPorts: ExpressionPorts): Promise<Answer> => {
      runs += 1;
      checkDeadline();
      if (runs === 1) exchange.scene = createScene(work, Object.assign(frame, { ports: expressionPorts }));
      else {
        const named = Object.assign(bareObject(), plain.named);
        exchange.scene = createScene(work, { ...plain, named, ports: expressionPorts });
      }
      const made = await exchange.plan.answer(exchange, carried);
      checkDeadline();
      return made;
    };
  };

  const slowly = (exchange: Exchange, frame: Frame, run: Run): Promise<Answer> =>
    keepsPasswords
      ? withSlowSecrets(secrets, frame.ports, passwordsIn(exchange, exchange.plan.endpoint), run)
      : run(frame.ports);

  /** In its own transaction; there nothing that it may see is left to be settled. */
  const write = async (asking: Asking, exchange: Exchange, frame: Frame, checkDeadline: CheckDeadline) => {
    const work = createRuns(exchange, asking.carried, frame, checkDeadline);
    const answer = await slowly(exchange, frame, async (expressionPorts) => {
      for (;;) {
        try {
          return await store.write(async (transaction) => {
            // A write before this one may have made something due.
            const settled = timers.isSettledFor(asking, transaction);
            if (settled !== true && !(await settled)) throw new Unsettled();
            return work(newWork(transaction), expressionPorts);
          });
        } catch (error) {
          if (!(error instanceof Unsettled)) throw error;
          await timers.settleFor(asking, checkDeadline);
        }
      }
    });
    const due = exchange.scene.work.soonestDue;
    if (due !== null) timers.armed(due);
    return answer;
  };

  /**
   * Of what is committed. Where a commit came in between that has made something due which the request may see, it may have seen the one
   * without the other: then it is read again.
   */
  const read = async (
    asking: Asking,
    exchange: Exchange,
    frame: Frame,
    checkDeadline: CheckDeadline,
    settledAt: number,
  ): Promise<Answer> => {
    const work = createRuns(exchange, asking.carried, frame, checkDeadline);
    for (let asOf = settledAt; ; ) {
      const failed = (error: unknown) => ({ error });
      const made = await slowly(exchange, frame, (expressionPorts) => work(reading, expressionPorts)).catch(
        failed,
      );
      if (timers.commits !== asOf && timers.mayBeDue(asking.nowMs)) {
        const settled = await timers.settleFor(asking, checkDeadline);
        asOf = settled.commits;
        if (settled.any) continue;
      }
      if ("error" in made) throw made.error;
      return made;
    }
  };

  const answerOf = async (exchange: Exchange, carried: Carried, frame: Frame): Promise<Answer> => {
    const { plan } = exchange;
    const nowMs = Date.parse(frame.now);
    const asking = { exchange, carried, nowMs };
    let checkDeadline = createDeadline(clock, nowMs, plan.bounds.timeoutMs);
    let asOf = timers.commits;
    // What is due happens before any later request sees the record: who calls, and whether there is a place, is such a look already.
    const settle = async () => {
      asOf = timers.commits;
      if (timers.mayBeDue(nowMs)) asOf = (await timers.settleFor(asking, checkDeadline)).commits;
    };
    await settle();
    const leave = await plan.takePlace?.(exchange, carried);
    let answer: Answer | undefined;
    try {
      if (leave) {
        checkDeadline = createDeadline(clock, nowMs + (exchange.heldMs ?? 0), plan.bounds.timeoutMs);
        await settle();
      }
      checkDeadline();
      answer = plan.writes
        ? await write(asking, exchange, frame, checkDeadline)
        : await read(asking, exchange, frame, checkDeadline, asOf);
      // Outside of its transaction and of its time-out: a held answer, a stream.
      if (answer.afterwards) answer = await later(answer.afterwards());
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
    answer: answerOf,
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
