/**
 * Held responses (part 4, `Waits: until <expr>, at most <expr>`). The changes are committed first.
 * Then the service holds the response, without a transaction, until the expression is true of the
 * record or the time has passed. It computes the response from the current state. A read repeats
 * all its checks, so that a record that was deleted meanwhile is not found.
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
import { callerResources, type Reads, readsOf, watchedRows } from "../streams/reads.ts";
import type { Waits } from "./waits.ts";

export interface WaitParts {
  readonly waits: Waits;
  readonly returns: Returns;
  readonly replay: Replay;
  readonly list: ListPlan | undefined;
  /** Runs due transitions before the record is read. */
  readonly runDue: () => Promise<void>;
  /**
   * Repeats all checks of a read request on the current state.
   * @throws Problem
   */
  readonly reevaluate: (request: RequestContext) => Promise<RequestContext>;
}

export interface WaitPlan {
  /**
   * Returns the longest time to hold the response, in milliseconds. It is evaluated with the names
   * of `Let` before the request changes anything.
   */
  atMost(request: RequestContext): number;
  /** Whether the response must be held, because the condition is not true yet. */
  isNeeded(request: RequestContext, atMostMs: number): Promise<boolean>;
  /** Holds the response, then computes it. Call it after the changes are committed. */
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
      // A null time means no wait. The operator's request time-out bounds every wait.
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
        watched: watchedRows(reads, request.evaluation, callers),
        async check() {
          await look();
          if (await isTrue(current)) return { isTrue: true };
          return { isTrue: false, watched: watchedRows(reads, current.evaluation, callers) };
        },
      });
      await look();
      const answer = await parts.returns(current);
      // A later request with the same key receives this response, not the response before the wait.
      if (writes && parts.replay.carriesKey(request))
        await store
          .write(async (transaction) => {
            const evaluation = { ...current.evaluation, work: { ...current.evaluation.work, transaction } };
            await parts.replay.storeAnswer({ ...current, evaluation }, answer);
          })
          .catch((error: unknown) =>
            ports.log.warn(
              { error: String(error) },
              "a held response could not be stored for its idempotency key",
            ),
          );
      return answer;
    },
  };
}

/**
 * Returns the resources whose changes may make the condition true. These are the resources that the
 * expression reads and, if the request is repeated, those that decide which records are selected.
 */
function readsOfWait({ meaning, model }: PlanContext, endpoint: Endpoint, writes: boolean): Reads {
  const own = readsOf([(endpoint.waits as NonNullable<Endpoint["waits"]>).until.node], meaning);
  if (writes) return own;
  const lists = endpoint.does.some((does) => does.kind === "list");
  const nodes = [
    ...endpoint.where.map((expression) => expression.node),
    ...(endpoint.whereChoices ?? []).flatMap(({ of, condition }) => [
      condition.node,
      ...of.map(({ by }) => by.node),
    ]),
    ...endpoint.lets.map((letItem) => letItem.value.node),
    ...endpoint.records.flatMap((record) => record.where.map((expression) => expression.node)),
    ...model.resources.flatMap((resource) =>
      resource.name === endpoint.resource && resource.visible ? [resource.visible.node] : [],
    ),
  ];
  const more = readsOf(nodes, meaning);
  const resources = new Set([...own.resources, ...more.resources]);
  // A record may enter a list. If no path selects the record, another record may replace it.
  const isPicked = endpoint.records.some((record) => record.target);
  if (endpoint.resource !== undefined && (lists || !isPicked)) resources.add(endpoint.resource);
  return { names: new Set([...own.names, ...more.names]), resources };
}

/**
 * Creates the current evaluation context of a change, with its stored records. A deleted record
 * keeps its last value.
 */
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
