/**
 * The condition that an input of a list filters by, from its name and type and those of a field.
 */
import { cellEdit, type CellEdit } from "../document/cell-edit.ts";
import { isReference, isSameType } from "./input-types.ts";
import type { SourceDocument, SourceInput, SourceResource } from "../document/source-document.ts";

/** A value of an input that selects all records. */
const allValues = /^"?(all|any)"?$/i;

/**
 * The condition that an input of a list filters by. Undefined where its type isn't the field's, and
 * where a default may select all records.
 */
function filterOf(input: SourceInput, { fields }: SourceResource): string | undefined {
  const field = fields.find(({ name }) => name === input.name);
  if (!field || /^(list|map) of /.test(input.type)) return undefined;
  const equal = equality(input);
  const isChoice = field.type.startsWith("one of ");
  if (field.type === input.type || (isChoice && isSameChoice(input.type, field.type)))
    return isChoice || !input.rules.some((rule) => rule.startsWith("default")) ? equal : undefined;
  const [all, more] = isChoice ? valuesBeyond(input.type, field.type) : [];
  if (all === undefined || more !== undefined || !allValues.test(all)) return undefined;
  return `query.${input.name} == "${all.replaceAll('"', "")}" || ${equal}`;
}

function equality({ name }: SourceInput): string {
  return `this.${name} == query.${name}`;
}

/** Whether enumerations have the same values, in any order. */
function isSameChoice(type: string, other: string): boolean {
  const sorted = (text: string) =>
    text
      .replace(/^one of /, "")
      .split(", ")
      .toSorted()
      .join();
  return type.startsWith("one of ") && sorted(type) === sorted(other);
}

/**
 * The values of one enumeration that another lacks; none if the other has values that this one
 * lacks.
 */
function valuesBeyond(type: string, other: string): readonly string[] {
  const [own, otherValues] = [type, other].map((text) => /^one of (.+)$/.exec(text)?.[1]?.split(", ") ?? []);
  if (!own || !otherValues || otherValues.some((value) => !own.includes(value))) return [];
  return own.filter((value) => !otherValues.includes(value));
}

/** The edit that writes what an input filters by. */
export function filterEdit(
  document: SourceDocument,
  input: SourceInput,
  resource: SourceResource,
): CellEdit | undefined {
  const field = resource.fields.find(({ name }) => name === input.name);
  if (field && isReference(document, field) && isSameType(document, input.type, field.type)) {
    const typed = cellEdit(document, input, "type", field.type);
    return typed && cellEdit(document, input, "where", `\`${equality(input)}\``, typed);
  }
  const condition = filterOf(input, resource);
  return condition === undefined ? undefined : cellEdit(document, input, "where", `\`${condition}\``);
}
