/**
 * Styles of parameters: the separator of a list that is sent in one parameter, and a note of what
 * the notation has no form for.
 */
import type { Parameter } from "./operations.ts";
import type { Type } from "./schemas.ts";
import { type Plain, plainOf, textOf } from "./values.ts";

const separators: ReadonlyMap<string, string> = new Map([
  ["form", ","],
  ["spaceDelimited", " "],
  ["pipeDelimited", "|"],
]);

export interface ListStyle {
  /** The rule `separated by`, as a cell of a table has it. */
  readonly rules: readonly string[];
  readonly notes: readonly string[];
}

/** Whether an object is sent in a form that the notation has: keys in brackets, or JSON. */
export function isObjectSayable({ in: place, node }: Parameter): boolean {
  return place === "query" && (node["style"] === "deepObject" || isJson(node));
}

/** Whether the parameter is a text that holds JSON. */
function isJson(node: Plain): boolean {
  const [type, more] = Object.keys(plainOf(node["content"]));
  return type === "application/json" && more === undefined;
}

export function listStyleOf({ name, in: place, node }: Parameter, type: Type): ListStyle {
  const isObject = type.kind === "value" || type.kind === "map";
  if (isJson(node) && (isObject || type.kind === "list")) return { rules: ["as JSON"], notes: [] };
  if (isObject && node["style"] === "deepObject") return { rules: [], notes: [] };
  const style = textOf(node["style"]) ?? (place === "query" ? "form" : "simple");
  // A list of the style `form` is repeated by default, and one of another style is not.
  const isRepeated = node["explode"] === true || (node["explode"] === undefined && style === "form");
  const separator = place === "query" ? (isRepeated ? undefined : separators.get(style)) : ",";
  if (type.kind === "list" && separator !== undefined && style !== "deepObject")
    return { rules: [`separated by ${JSON.stringify(separator).replace("|", "\\|")}`], notes: [] };
  const isUsual = style === "form" || style === "simple";
  return {
    rules: [],
    notes: [
      ...(isUsual ? [] : [`${place} ${name}: style ${style}`]),
      ...(node["explode"] === false ? [`${place} ${name}: explode false`] : []),
    ],
  };
}
