/**
 * `Waits: until <expr>, at most <expr>` (part 4): changes are committed first, then the answer is held, with no transaction open, until the
 * expression is true of the record, or the time is over; and it is worked out of what is there then. What a request reads is read
 * again, checks included, so that a record that is gone in the meantime is not found.
 */
import type { Value } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import { bareObject } from "../../support/bare-object.ts";
import { operatorCeilings } from "../defaults.ts";
import type { Answer, RequestContext } from "../request-context.ts";
import { atMostName } from "../actions/before.ts";
import type { ListPlan } from "../pagination/list-plan.ts";
import { planPageValue } from "../pagination/page-value.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { createJournal } from "../evaluation/journal.ts";
import { planRecordByRow } from "../records/record-by-row.ts";
import { createEvaluationContext, type EvaluationContext, isRecord } from "../evaluation/context.ts";
import type { Replay } from "../steps/replay.ts";
import type { Returns } from "../steps/returns.ts";
import { callerResources, type Reads, readsOf, watchedOf } from "../streams/reads.ts";
import type { Waits } from "./waits.ts";

export interface WaitParts {
  readonly waits: Waits;
  readonly returns: Returns;
  readonly replay: Replay;
  readonly list: ListPlan | undefined;
  /** What time has brought happens before anybody sees the record. */
  readonly runDue: () => Promise<void>;
  /** All that is asked of a request that changes nothing, once more, of what time has brought. @throws Problem */
  readonly reevaluate: (request: RequestContext) => Promise<RequestContext>;
}

export interface WaitPlan {
  /** How long the answer may be held, in milliseconds: worked out with the names of `Let`, before anything changed. */
  atMost(request: RequestContext): number;
  /** Whether the answer has to be held: it isn't true yet. */
  isNeeded(request: RequestContext, atMostMs: number): Promise<boolean>;
  /** Holds it, and answers. To be called when the changes are committed. */
  wait(request: RequestContext, atMostMs: number): Promise<Answer>;
}

export function planWaits(
  context: PlanContext,
  endpoint: Endpoint,
  writes: boolean,
  parts: WaitParts,
): WaitPlan | undefined {
  const { waits: item } = endpoint;
  if (!item) return undefined;
  const { ports, store } = context;
  const until = evaluateOf(context, item.until);
  const reads = readsOfWait(context, endpoint, writes);
  const callers = callerResources(context.model);
  const latest = planLatest(context);
  const pageOf = planPageValue(context, [item.until.node], parts.list);
  const isTrue = async (request: RequestContext): Promise<boolean> => {
    await pageOf?.(request);
    return (await until(request.evaluation)) === true;
  };
  return {
    atMost({ evaluation }) {
      const value = evaluation.frame.named[atMostName];
      // No time is no wait; nobody may wait for longer than the operator lets a request take.
      return typeof value === "number" ? Math.min(Math.max(0, value), operatorCeilings.timeoutMs) : 0;
    },
    isNeeded: async (request, atMostMs) => atMostMs > 0 && !(await isTrue(request)),
    async wait(request, atMostMs) {
      let current = request;
      const look = async () => {
        if (!writes) {
          current = await parts.reevaluate(request);
          return;
        }
        const nowMs = ports.clock.now();
        await parts.runDue();
        current = { ...request, evaluation: await latest(request.evaluation, nowMs) };
      };
      await parts.waits.wait({
        untilMs: ports.clock.now() + atMostMs,
        signal: request.request.signal,
        watched: watchedOf(reads, request.evaluation, callers),
        async check() {
          await look();
          if (await isTrue(current)) return { isTrue: true };
          return { isTrue: false, watched: watchedOf(reads, current.evaluation, callers) };
        },
      });
      await look();
      const answer = await parts.returns(current);
      // A later request with the same key gets what this one is answered, not what it would have been before.
      if (writes && parts.replay.carriesKey(request))
        await store
          .write(async (transaction) => {
            const evaluation = { ...current.evaluation, work: { ...current.evaluation.work, transaction } };
            await parts.replay.storeAnswer({ ...current, evaluation }, answer);
          })
          .catch((error: unknown) =>
            ports.log.warn({ error: String(error) }, "a held answer could not be kept for its key"),
          );
      return answer;
    },
  };
}

/** What may make it true: what the expression reads, and, where everything is read again, what decides which records are meant. */
function readsOfWait({ meaning, model }: PlanContext, endpoint: Endpoint, writes: boolean): Reads {
  const own = readsOf([(endpoint.waits as NonNullable<Endpoint["waits"]>).until.node], meaning);
  if (writes) return own;
  const lists = endpoint.does.some((does) => does.kind === "list");
  const nodes = [
    ...endpoint.where.map((one) => one.node),
    ...endpoint.lets.map((one) => one.value.node),
    ...endpoint.records.flatMap((record) => record.where.map((one) => one.node)),
    ...model.resources.flatMap((one) =>
      one.name === endpoint.resource && one.visible ? [one.visible.node] : [],
    ),
  ];
  const more = readsOf(nodes, meaning);
  const resources = new Set([...own.resources, ...more.resources]);
  // A list may begin to have a record, and where no path picks the one record, another may take its place.
  const isPicked = endpoint.records.some((record) => record.target);
  if (endpoint.resource !== undefined && (lists || !isPicked)) resources.add(endpoint.resource);
  return { names: new Set([...own.names, ...more.names]), resources };
}

/** The scene of a change, of now: its records as they are stored. One that is gone stays as it was seen last. */
function planLatest(
  context: PlanContext,
): (evaluation: EvaluationContext, nowMs: number) => Promise<EvaluationContext> {
  const byRow = planRecordByRow(context);
  const { store } = context;
  return async (evaluation, nowMs) => {
    const { session } = store;
    const work = { ...evaluation.work, session, transaction: null, journal: createJournal() };
    const now = new Date(nowMs).toISOString();
    const named = Object.assign(bareObject<Record<string, Value>>(), evaluation.frame.named);
    const next = createEvaluationContext(work, { ...evaluation.frame, now, named });
    for (const [name, resource] of evaluation.records) {
      next.records.set(name, resource);
      if (name === "old") continue;
      const known = name === "this" ? evaluation.frame.this : named[name];
      if (!isRecord(known ?? null)) continue;
      const found = await byRow(resource, (known as { "#row": number })["#row"], session, next.frame);
      if (!found) continue;
      if (name === "this") next.frame.this = found;
      else named[name] = found;
    }
    return next;
  };
}
