/**
 * Header values: evaluates `Header` expressions and writes them as text, with timestamps and
 * durations in their wire format.
 */
import type { Expression } from "../../expressions/node.ts";
import { formatDuration } from "../../expressions/time.ts";
import { type Type, types } from "../../expressions/type.ts";
import type { Value } from "../../expressions/value.ts";
import { timestampWriters } from "../../expressions/writing/wire.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { HeaderLine } from "../http/message.ts";
import { toOutput } from "../../model/versions/output-nodes.ts";
import { revealOnceValues } from "./json-writer.ts";
import { type EvaluationContext, flush } from "./context.ts";
import type { EngineContext } from "./engine-context.ts";
import { evaluateOf } from "./evaluate.ts";

/** Returns the text of a header; null if the response omits the header. */
export type EvaluateHeader = (evaluation: EvaluationContext) => Awaitable<string | null>;

export function evaluateHeader(context: EngineContext, expression: Expression): EvaluateHeader {
  const evaluate = evaluateOutput(context, expression);
  const write = writerFor(context, expression.node.type);
  return (evaluation) => after(evaluate(evaluation), (value) => (value === null ? null : write(value)));
}

/** Returns the headers of a map, without those whose value is null; undefined if it is no map. */
export type EvaluateHeaderMap = (
  evaluation: EvaluationContext,
) => Awaitable<readonly HeaderLine[] | undefined>;

export function evaluateHeaderMap(context: EngineContext, expression: Expression): EvaluateHeaderMap {
  const evaluate = evaluateOutput(context, expression);
  const { type } = expression.node;
  const write = writerFor(context, type.kind === "map" ? type.of : types.any);
  return (evaluation) =>
    after(evaluate(evaluation), (value) => {
      if (value === null) return [];
      if (typeof value !== "object" || Array.isArray(value)) return undefined;
      return Object.entries(value).flatMap(([name, each]): HeaderLine[] =>
        each === null ? [] : [[name, write(each)]],
      );
    });
}

function evaluateOutput(
  context: EngineContext,
  expression: Expression,
): (evaluation: EvaluationContext) => Awaitable<Value> {
  // A `shown once` value is plain text in the response to the request that set it, in headers and
  // in bodies.
  const evaluate = evaluateOf(context, { ...expression, node: toOutput(context.model, expression.node) });
  return (evaluation) => after(flush(evaluation), () => evaluate(revealOnceValues(evaluation)));
}

function writerFor({ wire }: EngineContext, type: Type): (value: Value) => string {
  if (type.kind === "timestamp") {
    const write = timestampWriters[wire.timestamps];
    // The JSON form of a timestamp may be quoted; a header value is not.
    return (value) => (typeof value === "string" ? write(value).replaceAll('"', "") : headerText(value));
  }
  if (type.kind === "duration")
    return (value) => (typeof value === "number" ? formatDuration(value) : headerText(value));
  return headerText;
}

/** Writes a value as the text of a header. */
export function headerText(value: Value): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
