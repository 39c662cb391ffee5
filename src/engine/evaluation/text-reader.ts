/** A field's value from the text of a path or a query; undefined for a text that is not of its type. */
import type { Value } from "../../expressions/value.ts";
import { compileFieldReader } from "../../fields/read-field.ts";
import { rulesOfForm } from "../../fields/rules/index.ts";
import type { Field } from "../../model/model.ts";
import type { EngineContext } from "./engine-context.ts";

/**
 * Only the type is asked, in the form in which the field is kept (`lower case`, `trimmed`): a path names what is there, whatever rules hold
 * for new values.
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
