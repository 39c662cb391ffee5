/**
 * Styles of parameters: the separator of a list that is sent in one parameter, and a note of what
 * the notation has no form for.
 */
import type { Parameter } from "./operations.ts";
import type { Type } from "./schemas.ts";
import { textOf } from "./values.ts";

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

export function listStyleOf({ name, in: place, node }: Parameter, type: Type): ListStyle {
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
