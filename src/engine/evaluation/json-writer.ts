/**
 * JSON writer: writes responses and payloads as JSON text. It uses a function, or prepared queries
 * if the output reads the store.
 */
import { readsStore } from "../../expressions/evaluate.ts";
import type { Node } from "../../expressions/node.ts";
import { compileJson } from "../../expressions/write-json.ts";
import { flush, type EvaluationContext } from "./context.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { EngineContext } from "./engine-context.ts";
import { toOutput } from "../../model/versions/output-nodes.ts";
import { bareObject } from "../../support/bare-object.ts";
import { bind } from "../../expressions/parameters.ts";

export type JsonWriter = (evaluation: EvaluationContext) => Awaitable<string>;

/** @param node the value to write: a shape of `this`, or any other expression */
export function createJsonWriter(context: EngineContext, node: Node): JsonWriter {
  const output = toOutput(context.model, node, context.view);
  if (!readsStore(output, context.meaning)) {
    const write = compileJson(output, context.meaning, context.wire);
    return (evaluation) => write(revealOnceValues(evaluation).frame);
  }
  const query = context.store.prepareJson(output, context.wire);
  return (evaluation) =>
    after(flush(evaluation), () => evaluation.work.session.json(query, revealOnceValues(evaluation).frame));
}

/**
 * Returns a context in which output nodes read the `shown once` values of `this` and of named
 * records.
 */
export function revealOnceValues(evaluation: EvaluationContext): EvaluationContext {
  if (evaluation.work.onceValues.size === 0) return evaluation;
  const onceValues = bareObject<Record<string, string>>();
  for (const [name, resource] of evaluation.records) {
    const record = name === "this" ? evaluation.frame.this : evaluation.frame.named[name];
    if (record === null || typeof record !== "object" || !("#row" in record)) continue;
    const prefix = `${resource}#${String(record["#row"])}.`;
    for (const [key, text] of evaluation.work.onceValues) {
      if (key.startsWith(prefix)) onceValues[`${name}:${key.slice(prefix.length)}`] = text;
    }
  }
  return { ...evaluation, frame: bind(evaluation.frame, { onceValues }) };
}
