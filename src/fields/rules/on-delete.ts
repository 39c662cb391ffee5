/** `on delete …`: what the deletion of the referred record does to this one. */
import type { FieldType } from "../type.ts";
import type { RuleWords } from "./field-rule-words.ts";

const sentences = {
  cascade: "Deleted with what it refers to.",
  restrict: "What it refers to can't be deleted.",
  clear: "Cleared when what it refers to is deleted.",
} as const;

export const onDelete: RuleWords<"on delete"> = {
  rule: "on delete",
  written: "on delete cascade | restrict | clear",
  takes: "references",
  applies: refers,
  schema: () => ({}),
  sentence: ({ then }) => sentences[then],
};

/** A reference, or a list or map of them. */
function refers(type: FieldType): boolean {
  return type.kind === "list" || type.kind === "map" ? refers(type.of) : type.kind === "reference";
}
