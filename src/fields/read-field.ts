/**
 * Reads a single field with all its rules, for records in the document, on the command line and in
 * the console.
 */
import type { Value } from "../expressions/value.ts";
import type { Json } from "../support/json.ts";
import { createFieldContext, type FieldOptions } from "./field-reader.ts";
import { Findings, type InputProblem, type ReferenceFound } from "./findings.ts";
import type { FieldRule } from "./rule.ts";
import type { FieldType } from "./type.ts";

export type FieldResult =
  | { readonly value: Value; readonly references: readonly ReferenceFound[]; readonly problems?: undefined }
  | { readonly problems: readonly InputProblem[] };

/** Reads one field from JSON, with all its rules: for records written in the document and on the command line. */
export function compileFieldReader(
  field: { readonly name: string; readonly type: FieldType; readonly rules: readonly FieldRule[] },
  options: FieldOptions,
): { json(json: Json): FieldResult; text(text: string): FieldResult } {
  const reader = createFieldContext(options).compile(field.type, field.rules);
  const finish = (value: Value | undefined, findings: Findings): FieldResult =>
    value === undefined ? { problems: findings.problems() } : { value, references: findings.references };
  return {
    json(json) {
      const findings = new Findings();
      return finish(reader.json(json, field.name, findings), findings);
    },
    text(text) {
      const findings = new Findings();
      return finish(reader.form({ texts: [text] }, field.name, findings), findings);
    },
  };
}
