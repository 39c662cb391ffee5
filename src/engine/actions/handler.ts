/**
 * Author handlers: `Does: handler name` (notation, "Handlers") calls the author's function in the
 * request's transaction. Its result is checked against the document's types and becomes `this`, or
 * the list, that `Returns` shapes. An error in it is an internal error whose text goes to the log
 * only.
 */
import { types } from "../../expressions/type.ts";
import { partAt, type Frame, type RecordValue, type Value } from "../../expressions/value.ts";
import { randomText } from "../../expressions/functions/random.ts";
import { expressionType } from "../../fields/type.ts";
import { callerTypeAt } from "../../model/caller-type.ts";
import type { Does, Endpoint, Input } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { engineDefaults } from "../defaults.ts";
import type { RequestContext, Action } from "../request-context.ts";
import { planBefore } from "./before.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { NotShown, Problem } from "../problem.ts";
import { isRecord, refresh, setRecord } from "../evaluation/context.ts";
import { planGiven } from "../handlers/given-value.ts";
import {
  type Given,
  type Handler,
  HandlerMistake,
  isRefused,
  type Plain,
  type PlainRecord,
  Refused,
} from "../handler-module.ts";
import { plainWriter } from "../handlers/plain.ts";
import { createAccesses, type OpenTransaction, openTransaction, recordsOf } from "../handlers/transaction.ts";
import { bareObject } from "../../support/bare-object.ts";
import { stackOf } from "../../support/failure.ts";
import { maskingOf, withoutSecretsOf } from "../secrets/masking.ts";
import { type Clock, realClock, whenPast } from "../ports.ts";

type HandlerDoes = Extract<Does, { kind: "handler" }>;

/**
 * A handler that holds the write lock longer than this is reported, in milliseconds, at most once a
 * minute.
 */
const heldMs = 100;
const heldEveryMs = 60_000;

/** Longest text that `random` returns, in characters. */
const randomLengthMax = 1024;

export function planHandler(context: PlanContext, endpoint: Endpoint, does: HandlerDoes): Action {
  const found = context.handlers?.handlers?.[does.name];
  const before = planBefore(context, endpoint);
  const accesses = createAccesses(context);
  const gives = planGiven(context, endpoint);
  const inputs = planInput(context, endpoint.inputs);
  const callerType = callerTypeAt(context.model, endpoint);
  const watch = watchLock(context, does);
  return async (request) => {
    await before(request);
    const handler = found ?? missing(does, context.handlers !== undefined);
    const { evaluation } = request;
    const { frame } = evaluation;
    const open = openTransaction(context, evaluation, accesses);
    const showCaller = async (): Promise<Json> => {
      const { caller } = frame;
      if (!isRecord(caller)) return null;
      // If callers can belong to several resources, each value names its resource.
      const resource = callerType.kind === "record" ? callerType.resource : caller["#resource"];
      return typeof resource === "string" ? open.show(resource, caller) : null;
    };
    const records = bareObject<Record<string, PlainRecord>>();
    for (const [name, resource, record] of recordsOf(evaluation))
      records[name] = await open.show(resource, record);
    const given: Omit<Given, "signal"> = {
      input: inputs(frame),
      caller: await showCaller(),
      records,
      transaction: open.api,
      now: frame.now,
      random: (length) =>
        randomText(Math.min(Math.max(0, Math.trunc(length)), randomLengthMax), context.ports),
      refuse: (code, field) => {
        throw new Refused(code, field);
      },
    };
    evaluation.work.calledAuthorCode = true;
    const timeMs = Math.min(request.timeoutMs, engineDefaults.handlerMs);
    const released = watch(request);
    try {
      const gift = await within(realClock(context.ports), timeMs, handler, given).finally(() => open.close());
      if (open.refusal !== undefined) throw open.refusal;
      await put(request, await gives(open, gift));
    } catch (error) {
      throw judged(context, request, does, open, error);
    } finally {
      released();
    }
  };
}

/**
 * A handler runs in a write, whatever its method, and writes run one after another. While a handler
 * awaits, all later writes wait for it, so the operator is warned.
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

/** Stores the handler's result as `this`, or as the list, for the answer to read. */
async function put({ evaluation }: RequestContext, gift: Awaited<ReturnType<ReturnType<typeof planGiven>>>) {
  refresh(evaluation);
  if (gift === undefined) return;
  if (gift.kind === "list") evaluation.frame.named["#given"] = gift.items;
  else if (isRecord(gift.value)) setRecord(evaluation, "this", gift.resource, gift.value as RecordValue);
  else evaluation.frame.this = gift.value;
}

/**
 * The document names a handler that no module exports: the answer is 501, as for anything that is
 * not shown.
 */
function missing(does: HandlerDoes, isThere: boolean): Handler {
  throw new NotShown({
    part: "endpoints",
    item: "methods",
    subject: `the handler \`${does.name}\``,
    position: does.position,
    ofModule: { under: "handlers", isThere },
  });
}

class TookTooLong extends Error {
  override name = "TookTooLong";
}

/**
 * Applies the time-out. A handler that never awaits cannot be stopped: it blocks the whole process,
 * like any code of the author's.
 */
async function within(
  clock: Clock,
  timeMs: number,
  handler: Handler,
  given: Omit<Given, "signal">,
): Promise<unknown> {
  const controller = new AbortController();
  let callOff: (() => void) | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    callOff = whenPast(clock, clock.now() + timeMs, () => {
      const error = new TookTooLong(`took longer than ${timeMs} ms`);
      controller.abort(error);
      reject(error);
    });
  });
  try {
    return await Promise.race([(async () => handler({ ...given, signal: controller.signal }))(), over]);
  } finally {
    callOff?.();
  }
}

/** The problem for the answer, and the text for the operator's log. */
function judged(
  context: PlanContext,
  request: RequestContext,
  does: HandlerDoes,
  open: OpenTransaction,
  thrown: unknown,
): unknown {
  const error = open.refusal ?? thrown;
  const isOurs = error === open.refusal && !(error instanceof HandlerMistake);
  if (isOurs || error instanceof Problem || error instanceof NotShown) return error;
  if (isRefused(error)) {
    if (context.model.errors.rows.some((row) => row.code === error.code)) {
      return new Problem(
        {
          condition: "invalid field",
          code: error.code,
          ...(error.field === undefined ? {} : { field: error.field }),
          problem: "is refused",
        },
        { because: does.position, record: request.evaluation.frame.this },
      );
    }
    return fault(
      context,
      request,
      does,
      new Error(`refused with the code ${error.code}, which part 7 does not have`),
    );
  }
  return fault(context, request, does, error);
}

function fault(context: PlanContext, request: RequestContext, does: HandlerDoes, error: unknown): Problem {
  context.ports.log.error(
    {
      request: request.id,
      handler: does.name,
      line: does.position.start.line,
      error: withoutSecretsOf(
        maskingOf(context.model).of(request.endpoint),
        stackOf(error),
        request.evaluation.frame,
      ),
    },
    "a handler failed",
  );
  return error instanceof TookTooLong
    ? new Problem({ condition: "timed out", problem: "took too long" }, { because: does.position })
    : new Problem({ condition: "internal", problem: "failed" }, { because: does.position });
}

/** The inputs in wire format; an input that was not sent is absent. */
function planInput(context: PlanContext, inputs: readonly Input[]): (frame: Frame) => Given["input"] {
  const any = plainWriter(context, types.any);
  const writers = inputs.map((input) => ({
    input,
    write: plainWriter(context, expressionType(input.type)),
  }));
  const inputsOf = (frame: Frame, key: "body" | "query" | "path" | "headers"): Plain => {
    const received = frame[key];
    if (received === null) return {};
    const plain = any(received, frame) as Record<string, Json>;
    for (const { input, write } of writers) {
      if ((input.in === "header" ? "headers" : input.in) !== key) continue;
      const name = input.in === "header" ? input.name.map((part) => part.toLowerCase()) : input.name;
      rewrite(plain, received, name, (value) => write(value, frame));
    }
    return plain;
  };
  return (frame) => ({
    body: inputsOf(frame, "body"),
    query: inputsOf(frame, "query"),
    path: inputsOf(frame, "path"),
    headers: inputsOf(frame, "headers"),
  });
}

/** Replaces one value by its wire form, if the value is present. */
function rewrite(
  plain: Record<string, Json>,
  received: Value,
  name: readonly string[],
  write: (value: Value) => Json,
): void {
  const [first, ...rest] = name;
  if (first === undefined) return;
  const value = partAt(received, [first]);
  if (value === undefined) return;
  if (rest.length === 0) plain[first] = write(value);
  else rewrite(plain[first] as Record<string, Json>, value, rest, write);
}
