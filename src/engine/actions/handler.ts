/**
 * Author handlers: `Does: handler name` (notation, "Handlers") calls the author's function in the
 * request's transaction. Its result is checked against the document's types and becomes `this`, or
 * the list, that `Returns` shapes. An error in it is an internal error whose text is written only
 * to the log. A handler in two phases first calls its `prepare` outside of the transaction.
 */
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import { engineDefaults } from "../defaults.ts";
import { isRecord, refresh, setRecord } from "../evaluation/context.ts";
import type { Handler, TwoPhaseHandler } from "../handler-module.ts";
import { planCommonArgument } from "../handlers/given.ts";
import { planGiven } from "../handlers/given-value.ts";
import { type HandlerDoes, problemOf, withTimeout } from "../handlers/run.ts";
import { type Accesses, createAccesses, OpenTransaction } from "../handlers/transaction.ts";
import { realClock } from "../ports.ts";
import { NotShown, Problem } from "../problem.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { Action, RequestContext } from "../request-context.ts";
import { planBefore } from "./before.ts";

/**
 * A handler that holds the write lock longer than this is reported at most once a minute, in
 * milliseconds.
 */
const heldMs = 100;
const heldEveryMs = 60_000;

export interface PlannedHandler {
  readonly run: Action;
  /**
   * Calls `prepare` on committed data, before the request's transaction. Absent if there is none.
   */
  readonly prepare?: Action;
}

export function planHandler(context: PlanContext, endpoint: Endpoint, does: HandlerDoes): PlannedHandler {
  const found = context.handlers?.handlers?.[does.name];
  const accesses = createAccesses(context);
  return {
    run: planRun(context, endpoint, does, found, accesses),
    ...(isTwoPhase(found) ? { prepare: planPrepare(context, endpoint, does, found, accesses) } : {}),
  };
}

function isTwoPhase(handler: Handler | undefined): handler is TwoPhaseHandler {
  return typeof handler === "object";
}

function planPrepare(
  context: PlanContext,
  endpoint: Endpoint,
  does: HandlerDoes,
  handler: TwoPhaseHandler,
  accesses: Accesses,
): Action {
  const before = planBefore(context, endpoint);
  const givenToBoth = planCommonArgument(context, endpoint);
  return async (request) => {
    await before(request);
    const open = new OpenTransaction(context, request.evaluation, accesses);
    const { get, list } = open.api;
    const given = { ...(await givenToBoth(request, open)), committed: { get, list } };
    request.evaluation.work.calledAuthorCode = true;
    try {
      const facts = await withTimeout(realClock(context.ports), request.timeoutMs, (signal) =>
        handler.prepare({ ...given, signal }),
      ).finally(() => open.calls.close());
      if (open.calls.refusal !== undefined) throw open.calls.refusal;
      Object.assign(request.prepared, { isDone: true, facts });
    } catch (error) {
      throw problemOf(context, request, does, open, error);
    }
  };
}

function planRun(
  context: PlanContext,
  endpoint: Endpoint,
  does: HandlerDoes,
  found: Handler | undefined,
  accesses: Accesses,
): Action {
  const before = planBefore(context, endpoint);
  const gives = planGiven(context, endpoint);
  const givenToBoth = planCommonArgument(context, endpoint);
  const watch = watchLock(context, does);
  const ownMs = isTwoPhase(found) ? engineDefaults.handlerRunMs : engineDefaults.handlerMs;
  return async (request) => {
    await before(request);
    const handler = found ?? missing(does, context.handlers !== undefined);
    const { evaluation, prepared } = request;
    if (isTwoPhase(handler) && !prepared.isDone) throw changedMeanwhile(does);
    const open = new OpenTransaction(context, evaluation, accesses);
    const given = { ...(await givenToBoth(request, open)), transaction: open.api, facts: prepared.facts };
    evaluation.work.calledAuthorCode = true;
    const released = watch(request);
    try {
      const result = await withTimeout(
        realClock(context.ports),
        Math.min(request.timeoutMs, ownMs),
        (signal) => (isTwoPhase(handler) ? handler.run({ ...given, signal }) : handler({ ...given, signal })),
      ).finally(() => open.calls.close());
      if (open.calls.refusal !== undefined) throw open.calls.refusal;
      await put(request, await gives(open, result));
    } catch (error) {
      throw problemOf(context, request, does, open, error);
    } finally {
      released();
    }
  };
}

/**
 * The problem if committed data selected another alternative of `Does` when the request was
 * prepared. The client may repeat the request.
 */
function changedMeanwhile({ position }: HandlerDoes): Problem {
  return new Problem(
    { condition: "timed out", problem: "was prepared with records that have changed since" },
    { because: position },
  );
}

/**
 * Warns the operator of slow handlers. A handler runs in a write, whatever its method, and writes
 * run one after another. While a handler awaits, all later writes wait for it.
 */
function watchLock(
  { ports }: PlanContext,
  { name, position }: HandlerDoes,
): (request: RequestContext) => () => void {
  const elapsed = ports.stopwatch ?? ports.clock.now;
  let reportedMs = Number.NEGATIVE_INFINITY;
  return ({ id }) => {
    const fromMs = elapsed();
    return () => {
      const nowMs = elapsed();
      if (nowMs - fromMs <= heldMs || nowMs - reportedMs < heldEveryMs) return;
      reportedMs = nowMs;
      ports.log.warn(
        { request: id, handler: name, line: position.start.line, ms: Math.round(nowMs - fromMs) },
        `the handler ${name} held the write lock, and all other writes waited`,
      );
    };
  };
}

/** Stores the handler's result as `this`, or as the list, for the response to read. */
async function put(request: RequestContext, result: Awaited<ReturnType<ReturnType<typeof planGiven>>>) {
  const { evaluation } = request;
  refresh(evaluation);
  if (result === undefined) return;
  if (result.kind === "list") request.givenList = result.items;
  else if (isRecord(result.value))
    setRecord(evaluation, "this", result.resource, result.value as RecordValue);
  else evaluation.frame.this = result.value;
}

/** A handler that no module exports: the response is 501, as for anything that is not shown. */
function missing(does: HandlerDoes, isThere: boolean): Handler {
  throw new NotShown({
    part: "endpoints",
    item: "methods",
    subject: `the handler \`${does.name}\``,
    position: does.position,
    ofModule: { under: "handlers", isThere },
  });
}
