/**
 * `each <rule>`: for each element of a list or a map. The reader checks it at the element, so that
 * a problem has its path.
 */
import type { FieldType } from "../type.ts";
import type { RuleWords } from "./field-rule-notation.ts";
import { readInner, type RuleOfParts } from "./rule-of-parts.ts";

function innerType(type: FieldType): FieldType {
  return type.kind === "list" || type.kind === "map" ? type.of : type;
}

export const each: RuleWords<RuleOfParts<"each">> = {
  rule: "each",
  // The rules of elements are compared at the elements.
  forStored: "nothing",
  read: (rest, reading) =>
    readInner("each", rest, "bounds, `length`, `pattern`, `lower case` or `trimmed`", reading),
  named: ({ of }, any) => `each ${any.named(of)}`,
  takes: "lists and maps",
  applies: (type) => type.kind === "list" || type.kind === "map",
  innerType,
  schema: ({ of }, type, any) => ({
    [type.kind === "map" ? "additionalProperties" : "items"]: any.schema(of, innerType(type)),
  }),
  sentence: ({ of }, type, any) => `Of each: ${any.sentence(of, innerType(type))}`,
};
