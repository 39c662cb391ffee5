/** Types of inputs, compared with those of fields. */
import type { SourceDocument, SourceField } from "../document/source-document.ts";

/** Whether a field refers to the records of a resource. */
export function isReference({ resources }: SourceDocument, { type }: SourceField): boolean {
  return resources.some(({ name }) => name === type);
}

/**
 * Whether an input has the type of a field. Values with different names are compared by their
 * fields; a reference has the type of its identifier.
 */
export function isSameType({ values, resources }: SourceDocument, type: string, other: string): boolean {
  const target = resources.find(({ name }) => name === other);
  const key = target?.fields.find(({ name }) => name === target.identifier.field);
  if (type === other || type === key?.type) return true;
  const [own, otherValue] = [type, other].map((name) => values.find((value) => value.name === name));
  const text = (fields: readonly SourceField[]) =>
    fields.map(({ name, type: of, rules }) => [name, of, ...rules].join()).join("\n");
  return own !== undefined && otherValue !== undefined && text(own.fields) === text(otherValue.fields);
}
