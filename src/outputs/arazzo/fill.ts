/** Texts of scenarios in Arazzo's words: what was captured stands in them as a runtime expression. */
import { readCaptures } from "../../model/captures.ts";
import type { Json } from "../../support/json.ts";
import { Unsayable } from "./unsayable.ts";

/** The runtime expression that gives what a scenario calls by this name; undefined where nothing does. */
export type ExpressionOf = (name: string) => string | undefined;

/** A text that is one capture is the expression itself, and keeps the type of its value. */
export function fillText(text: string, expressionOf: ExpressionOf): string {
  const { captures } = readCaptures(text);
  const pieces: string[] = [];
  let at = 0;
  for (const { from, to, name } of captures) {
    const expression = expressionOf(name);
    if (expression === undefined) throw new Unsayable(`nothing in the workflow gives {{${name}}}`);
    if (from === 0 && to === text.length) return expression;
    pieces.push(plain(text.slice(at, from)), `{${expression}}`);
    at = to;
  }
  return pieces.join("") + plain(text.slice(at));
}

export function fillJson(json: Json, expressionOf: ExpressionOf): Json {
  if (typeof json === "string") return fillText(json, expressionOf);
  if (Array.isArray(json)) return json.map((one: Json) => fillJson(one, expressionOf));
  if (json === null || typeof json !== "object") return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, fillJson(value, expressionOf)]));
}

/** Arazzo has no way to write such a text as itself. */
function plain(text: string): string {
  if (
    /\$(url|method|statusCode|request|response|inputs|outputs|steps|workflows|sourceDescriptions|components)\b/.test(
      text,
    )
  )
    throw new Unsayable(`Arazzo would read "${text}" as an expression`);
  return text;
}
