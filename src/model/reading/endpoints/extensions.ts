/**
 * Reads `Extensions` of an endpoint: keys of its operation in exports to OpenAPI. They don't change
 * what the service does.
 */
import { type Phrase, positionIn, unquote } from "../../../source/phrase.ts";
import { readJsonText } from "../../../support/formats/json-reader.ts";
import type { Json } from "../../../support/json.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import type { Endpoint } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";

/** `{"x-team": "parcels", "externalDocs": {"url": "…"}}`. Undefined if it can't be read, which is reported. */
export function readExtensions(item: ItemNode, ctx: BuildContext): Endpoint["extensions"] {
  const value = unquote(item.value);
  const read = readJsonText(value.text);
  if (read.problem !== undefined) return unreadable(value, ctx);
  const { json } = read;
  const isReadable = isObject(json) && Object.entries(json).every(([key, inner]) => isExtension(key, inner));
  return isReadable ? json : unreadable(value, ctx);
}

function isExtension(key: string, value: Json): boolean {
  if (key === "externalDocs") return isObject(value) && typeof value["url"] === "string";
  return /^x-[\w.-]+$/.test(key) && !key.startsWith("x-ninefold-");
}

function isObject(json: Json): json is { readonly [key: string]: Json } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function unreadable(value: Phrase, { reporter }: BuildContext): undefined {
  reporter.report("endpoints/unreadable", positionIn(value), {
    text: value.text,
    expected:
      'a JSON object with keys that begin with `x-` (except `x-ninefold-`), and `externalDocs` with a `url`: `{"x-team": "parcels"}`',
  });
}
