/**
 * Header values: evaluates `Header` expressions and writes them as text, with timestamps and
 * durations in their wire format.
 */
import type { Expression } from "../../expressions/node.ts";
import { formatDuration } from "../../expressions/time.ts";
import type { Value } from "../../expressions/value.ts";
import { timestampWriters } from "../../expressions/writing/wire.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import { toOutput } from "../../model/versions/output-nodes.ts";
import { revealOnceValues } from "./json-writer.ts";
import { type EvaluationContext, flush } from "./context.ts";
import type { EngineContext } from "./engine-context.ts";
import { evaluateOf } from "./evaluate.ts";

/** Returns the text of a header; null if the response omits the header. */
export type EvaluateHeader = (evaluation: EvaluationContext) => Awaitable<string | null>;

export function evaluateHeader(context: EngineContext, expression: Expression): EvaluateHeader {
  // A `shown once` value is plain text in the response to the request that set it, in headers and
  // in bodies.
  const evaluate = evaluateOf(context, { ...expression, node: toOutput(context.model, expression.node) });
  const write = writerFor(context, expression);
  return (evaluation) => {
    const value = after(flush(evaluation), () => evaluate(revealOnceValues(evaluation)));
    return after(value, (text) => (text === null ? null : write(text)));
  };
}

function writerFor({ wire }: EngineContext, { node }: Expression): (value: Value) => string {
  if (node.type.kind === "timestamp") {
    const write = timestampWriters[wire.timestamps];
    // The JSON form of a timestamp may be quoted; a header value is not.
    return (value) => (typeof value === "string" ? write(value).replaceAll('"', "") : headerText(value));
  }
  if (node.type.kind === "duration")
    return (value) => (typeof value === "number" ? formatDuration(value) : headerText(value));
  return headerText;
}

/** Writes a value as the text of a header. */
export function headerText(value: Value): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
