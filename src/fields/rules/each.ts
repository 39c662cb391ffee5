/** `each <rule>`: of each element of a list or a map. The reader asks it at the element, so that a problem names its place. */
import type { FieldType } from "../type.ts";
import type { RuleWords } from "./field-rule-words.ts";

function elementOf(type: FieldType): FieldType {
  return type.kind === "list" || type.kind === "map" ? type.of : type;
}

export const each: RuleWords<"each"> = {
  rule: "each",
  written: "each <rule>",
  takes: "lists and maps",
  applies: (type) => type.kind === "list" || type.kind === "map",
  schema: (rule, type, words) => ({
    [type.kind === "map" ? "additionalProperties" : "items"]: words(rule.of.rule).schema(
      rule.of,
      elementOf(type),
      words,
    ),
  }),
  sentence: (rule, type, words) =>
    `Of each: ${words(rule.of.rule).sentence(rule.of, elementOf(type), words)}`,
};
