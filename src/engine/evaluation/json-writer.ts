/** Answers and payloads as JSON text: a function where all is at hand, prepared queries where the store is read. */
import { readsStore } from "../../expressions/evaluate.ts";
import type { Node } from "../../expressions/node.ts";
import { compileJson } from "../../expressions/write-json.ts";
import { flush, type Scene } from "./scene.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { AskingContext } from "./context.ts";
import { toOutput } from "../../model/versions/shown.ts";
import { bareObject } from "../../support/bare-object.ts";

export type JsonWriter = (scene: Scene) => Awaitable<string>;

/** @param node what is answered: a shape of `this`, or any expression */
export function createJsonWriter(context: AskingContext, node: Node): JsonWriter {
  const output = toOutput(context.model, node, context.view);
  if (!readsStore(output, context.meaning)) {
    const write = compileJson(output, context.meaning, context.wire);
    return (scene) => {
      prepareShown(scene);
      return write(scene.frame);
    };
  }
  const query = context.store.prepareJson(output, context.wire);
  return (scene) =>
    after(flush(scene), () => {
      prepareShown(scene);
      return scene.work.session.json(query, scene.frame);
    });
}

/** Puts what may be shown once, of `this` and of records with a name, where the output's nodes read it. */
export function prepareShown(scene: Scene): void {
  if (scene.work.shown.size === 0) return;
  const shown = bareObject<Record<string, string>>();
  for (const [name, resource] of scene.records) {
    const record = name === "this" ? scene.frame.this : scene.frame.named[name];
    if (record === null || typeof record !== "object" || !("#row" in record)) continue;
    const prefix = `${resource}#${String(record["#row"])}.`;
    for (const [key, text] of scene.work.shown) {
      if (key.startsWith(prefix)) shown[`${name}:${key.slice(prefix.length)}`] = text;
    }
  }
  scene.frame.named["#shown"] = shown;
}
