/**
 * Text reader: parses a field's value from a path or query text; undefined if the text is not of
 * its type.
 */
import type { Value } from "../../expressions/value.ts";
import { compileFieldReader } from "../../fields/read-field.ts";
import { rulesOfForm } from "../../fields/rules/index.ts";
import type { Field } from "../../model/model.ts";
import type { EngineContext } from "./engine-context.ts";

/**
 * Only the type is checked, in the field's stored form (`lower case`, `trimmed`): a path refers to
 * an existing value, whatever rules apply to new values.
 */
export function createTextReader(context: EngineContext, field: Field): (text: string) => Value | undefined {
  const rules = rulesOfForm(field.rules);
  if (field.type.kind === "string" && rules.length === 0) return (text) => text;
  const reader = compileFieldReader({ name: field.name, type: field.type, rules }, context.reading);
  return (text) => {
    const read = reader.text(text);
    return read.problems ? undefined : read.value;
  };
}
