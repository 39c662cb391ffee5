/** The argument of a handler: the request's inputs, caller and records as plain JSON data. */
import { types } from "../../expressions/type.ts";
import { randomText } from "../../expressions/functions/random.ts";
import { type Frame, partAt, type Value } from "../../expressions/value.ts";
import { expressionType } from "../../fields/type.ts";
import { callerTypeAt } from "../../model/authentication/caller-type.ts";
import type { Endpoint, Input } from "../../model/model.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { Json } from "../../support/json.ts";
import { isRecord } from "../evaluation/context.ts";
import { type Given, type Plain, type PlainRecord, Refused } from "../handler-module.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { RequestContext } from "../request-context.ts";
import { plainWriter } from "./plain.ts";
import { type OpenTransaction, recordsOf } from "./transaction.ts";

/** The argument of both phases of a handler. */
type GivenToBoth = Omit<Given, "transaction" | "facts" | "signal">;

/** Longest text that `random` returns, in characters. */
const randomLengthMax = 1024;

export function planCommonArgument(
  context: PlanContext,
  endpoint: Endpoint,
): (request: RequestContext, open: OpenTransaction) => Promise<GivenToBoth> {
  const inputs = planInput(context, endpoint.inputs);
  const callerType = callerTypeAt(context.model, endpoint);
  return async ({ evaluation }, open) => {
    const { frame } = evaluation;
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
    return {
      input: inputs(frame),
      caller: await showCaller(),
      records,
      now: frame.now,
      random: (length) =>
        randomText(Math.min(Math.max(0, Math.trunc(length)), randomLengthMax), context.ports),
      refuse: (code, field) => {
        throw new Refused(code, field);
      },
    };
  };
}

/** Converts the inputs to wire format. An input that the client did not send is absent. */
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

/** Converts one value to wire format, if the value is present. */
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
