/** Proposes values that the service gives to fields no client sends: times, by their names. */
import { normalizedName } from "../../support/alike-names.ts";
import type { AnswerKindName, Proposal } from "../document/answers.ts";
import { cellEdit } from "../document/cell-edit.ts";
import { lineOf, type SourceDocument, type SourceField } from "../document/source-document.ts";

const created = /^(date|time)?(created|creation)(at|on|time|date)?$/;
const updated = /^(date|time|last)?(updated|modified|edited|update|modification)(at|on|time|date)?$/;

/** One proposal for each creation or modification time. */
export function proposeFields(document: SourceDocument): readonly Proposal[] {
  return document.resources.flatMap((resource) =>
    resource.fields.flatMap((field): readonly Proposal[] => {
      const found = field.type === "timestamp" && isFilled(field) ? timeOf(field) : undefined;
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

/** Whether the service sets the field, and its value isn't shown. */
function isFilled({ rules }: SourceField): boolean {
  return rules.includes(open);
}

/** Whether a rule of the field isn't shown, of any kind. */
export function hasOpenRule({ rules }: SourceField): boolean {
  return rules.some(isOpenRule);
}

/** Whether the value that the service sets, or a further rule, isn't shown. */
export function hasHiddenRule({ rules }: SourceField): boolean {
  return rules.includes(open) || rules.includes("not shown");
}

function isOpenRule(rule: string): boolean {
  return rule.endsWith("not shown");
}

/**
 * The rules with an answer for the open one; `none` states that there are no others. A field that
 * may be null or is computed isn't required.
 */
export function rulesWith({ rules }: SourceField, text: string): string {
  const given = text === "none" ? [] : [text];
  const decides = text.startsWith("=") || text.split(",").some((rule) => rule.trim() === "nullable");
  const written = rules
    .filter((rule) => !(decides && rule === "required"))
    .flatMap((rule) => (isOpenRule(rule) ? given : [rule]));
  return [...new Set(written)].join(", ");
}

function timeOf({
  name,
  rules,
}: SourceField): { readonly kind: AnswerKindName; readonly text: string } | undefined {
  const low = normalizedName(name);
  // Where not every response has a value, the time may be null until the first change.
  const kind = rules.includes("required") ? "updated-times" : "null-or-updated-times";
  if (created.test(low)) return { kind: "created-times", text: "on create `now`" };
  // A record that was never edited lacks the time.
  const isOfEdits = /edited/.test(low) && kind === "null-or-updated-times";
  if (updated.test(low) && !isOfEdits) return { kind, text: "on create `now`, on update `now`" };
  return undefined;
}
