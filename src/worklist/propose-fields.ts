/** Proposes what the service gives fields that no client sends: times, by their names. */
import { normalizedName } from "../support/alike-names.ts";
import type { AnswerKindName, Proposal } from "./answers.ts";
import { cellEdit } from "./cell-edit.ts";
import { lineOf, type WrittenDocument, type WrittenField } from "./written.ts";

const created = /^(date|time)?(created|creation)(at|on|time|date)?$/;
const updated = /^(date|time|last)?(updated|modified|edited|update|modification)(at|on|time|date)?$/;

/** One proposal for each time of the creation or of the last change. */
export function proposeFields(document: WrittenDocument): readonly Proposal[] {
  return document.resources.flatMap((resource) =>
    resource.fields.flatMap((field): readonly Proposal[] => {
      const found = field.type === "timestamp" && isFilled(field) ? timeOf(field.name) : undefined;
      const edit = found && cellEdit(document, field, "rules", rulesWith(field, found.text));
      return edit
        ? [
            {
              kind: found.kind,
              subject: `${resource.name}.${field.name}`,
              at: lineOf(field.row),
              edits: [edit],
              evidence: [`line ${lineOf(field.row)}`],
            },
          ]
        : [];
    }),
  );
}

const open = "on create not shown";

/** Whether the service gives the field a value, and it isn't shown which. */
export function isFilled({ rules }: WrittenField): boolean {
  return rules.includes(open);
}

/** The rules with an answer for the open one. A field that may be null isn't required. */
export function rulesWith({ rules }: WrittenField, text: string): string {
  const isNullable = text.split(",").some((rule) => rule.trim() === "nullable");
  return rules
    .filter((rule) => !(isNullable && rule === "required"))
    .map((rule) => (rule === open ? text : rule))
    .join(", ");
}

function timeOf(name: string): { readonly kind: AnswerKindName; readonly text: string } | undefined {
  const low = normalizedName(name);
  if (created.test(low)) return { kind: "created-times", text: "on create `now`" };
  if (updated.test(low)) return { kind: "updated-times", text: "on create `now`, on update `now`" };
  return undefined;
}
