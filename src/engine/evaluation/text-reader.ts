/**
 * Text reader: parses a field's value from the text of a path or query. The result is undefined if
 * the text does not have the field's type.
 */
import type { Value } from "../../expressions/value.ts";
import { compileFieldReader } from "../../fields/read-field.ts";
import { rulesOfForm } from "../../fields/rules/index.ts";
import type { Field } from "../../model/model.ts";
import type { EngineContext } from "./engine-context.ts";

/**
 * Checks only the type, in the field's stored form (`lower case`, `trimmed`). A path refers to an
 * existing value, to which the rules for new values don't apply.
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
