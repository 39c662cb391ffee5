/**
 * JSON writer: answers and payloads as JSON text, by a function, or by prepared queries if the
 * store is read.
 */
import { readsStore } from "../../expressions/evaluate.ts";
import type { Node } from "../../expressions/node.ts";
import { compileJson } from "../../expressions/write-json.ts";
import { flush, type EvaluationContext } from "./context.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { EngineContext } from "./engine-context.ts";
import { toOutput } from "../../model/versions/output-nodes.ts";
import { bareObject } from "../../support/bare-object.ts";

export type JsonWriter = (evaluation: EvaluationContext) => Awaitable<string>;

/** @param node the value to write: a shape of `this`, or any expression */
export function createJsonWriter(context: EngineContext, node: Node): JsonWriter {
  const output = toOutput(context.model, node, context.view);
  if (!readsStore(output, context.meaning)) {
    const write = compileJson(output, context.meaning, context.wire);
    return (evaluation) => {
      exposeOnceValues(evaluation);
      return write(evaluation.frame);
    };
  }
  const query = context.store.prepareJson(output, context.wire);
  return (evaluation) =>
    after(flush(evaluation), () => {
      exposeOnceValues(evaluation);
      return evaluation.work.session.json(query, evaluation.frame);
    });
}

/**
 * Puts the `shown once` values of `this` and of named records into the frame, where the output's
 * nodes read them.
 */
export function exposeOnceValues(evaluation: EvaluationContext): void {
  if (evaluation.work.onceValues.size === 0) return;
  const onceValues = bareObject<Record<string, string>>();
  for (const [name, resource] of evaluation.records) {
    const record = name === "this" ? evaluation.frame.this : evaluation.frame.named[name];
    if (record === null || typeof record !== "object" || !("#row" in record)) continue;
    const prefix = `${resource}#${String(record["#row"])}.`;
    for (const [key, text] of evaluation.work.onceValues) {
      if (key.startsWith(prefix)) onceValues[`${name}:${key.slice(prefix.length)}`] = text;
    }
  }
  evaluation.frame.named["#shown"] = onceValues;
}
