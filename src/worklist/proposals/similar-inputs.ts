/**
 * Inputs that set a field whose name differs only by case and separators: `FriendlyName` sets
 * `friendly_name`. A column of their table names the field.
 */
import { normalizedName } from "../../support/alike-names.ts";
import type { Proposal } from "../document/answers.ts";
import { type CellEdit, cellEdit } from "../document/cell-edit.ts";
import type { Edit } from "../document/edits.ts";
import { evidenceOf } from "../document/evidence.ts";
import {
  lineOf,
  type SourceDocument,
  type SourceEndpoint,
  type SourceField,
  type SourceInput,
  type SourceResource,
} from "../document/source-document.ts";

/** The field that an open input of a body sets under a similar name. */
function fieldAlike(input: SourceInput, { fields, identifier }: SourceResource): SourceField | undefined {
  if (input.in !== "body" || !input.isOpen || fields.some(({ name }) => name === input.name))
    return undefined;
  const found = fields.filter(({ name }) => normalizedName(name) === normalizedName(input.name));
  const [field] = found;
  const isField = found.length === 1 && field?.type === input.type && field.name !== identifier.field;
  return isField && !field.rules.some((rule) => /^(on create|=)/.test(rule)) ? field : undefined;
}

/** Whether inputs of the endpoint set fields under similar names. */
export function hasAlikeInputs({ inputs }: SourceEndpoint, resource: SourceResource): boolean {
  return inputs.some((input) => fieldAlike(input, resource));
}

/** One proposal for all of an endpoint's inputs in a table whose other rows are open too. */
export function alikeAnswers(
  document: SourceDocument,
  endpoint: SourceEndpoint,
  resource: SourceResource,
): readonly Proposal[] {
  const tables = Map.groupBy(endpoint.inputs, ({ table }) => table);
  return [...tables].flatMap(([table, inputs]) => {
    const found = inputs.flatMap((input) => {
      const field = fieldAlike(input, resource);
      return field ? [{ input, field }] : [];
    });
    if (found.length === 0 || !inputs.every(({ isOpen }) => isOpen)) return [];
    const at = lineOf(table);
    const head = document.source.text.split("\n")[at - 1] ?? "";
    return [
      {
        kind: "inputs-alike" as const,
        subject: endpoint.name,
        at,
        edits: [
          { line: at, text: head.replace(/\bWhere\b/, "Field") },
          ...found.flatMap(({ input, field }) => [
            ...rowOf(document, input, field),
            ...ruleOf(document, field, input),
          ]),
        ],
        evidence: evidenceOf(document, endpoint, []),
      },
    ];
  });
}

/** The row with neither the field's type nor the field's own rules, which apply anyway. */
function rowOf(document: SourceDocument, input: SourceInput, field: SourceField): readonly Edit[] {
  const rules = input.rules.filter((rule) => rule !== "not shown" && !field.rules.includes(rule));
  const cells = { where: field.name, type: "", rules: rules.join(", ") };
  let edit: CellEdit | undefined;
  for (const [column, text] of Object.entries(cells)) edit = cellEdit(document, input, column, text, edit);
  return edit ? [edit] : [];
}

/**
 * A field whose rules aren't shown is required if its input is, and otherwise null when a request
 * omits it.
 */
function ruleOf(document: SourceDocument, field: SourceField, input: SourceInput): readonly Edit[] {
  if (!field.rules.includes("not shown")) return [];
  const rules = [
    input.rules.includes("required") ? "required" : "nullable",
    ...field.rules.filter((rule) => rule !== "not shown" && rule !== "nullable"),
  ];
  const edit = cellEdit(document, field, "rules", rules.join(", "));
  return edit ? [edit] : [];
}
