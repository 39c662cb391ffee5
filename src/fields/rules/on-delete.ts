/** `on delete …`: what the deletion of the referenced record does to this one. */
import { unquote } from "../../source/phrase.ts";
import type { FieldType } from "../type.ts";
import type { RuleWords } from "./field-rule-notation.ts";

export interface OnDelete {
  readonly rule: "on delete";
  readonly then: keyof typeof sentences;
}

const sentences = {
  cascade: "Deleted with the referenced record.",
  restrict: "The referenced record can't be deleted.",
  clear: "Cleared when the referenced record is deleted.",
} as const;

export const onDelete: RuleWords<OnDelete> = {
  rule: "on delete",
  forStored: "nothing",
  starts: ["on delete cascade", "on delete restrict", "on delete clear"],
  read(rest, { unreadable }) {
    const then = unquote(rest).text.toLowerCase();
    if (then === "cascade" || then === "restrict" || then === "clear") return { rule: "on delete", then };
    return unreadable("`on delete cascade`, `on delete restrict` or `on delete clear`");
  },
  otherWords: { cascade: "`on delete cascade`" },
  places: ["field"],
  takes: "references",
  applies: refers,
  isAbout: "record",
  sentence: ({ then }) => sentences[then],
};

/** Whether the type is a reference, or a list or map of references. */
function refers(type: FieldType): boolean {
  return type.kind === "list" || type.kind === "map" ? refers(type.of) : type.kind === "reference";
}
