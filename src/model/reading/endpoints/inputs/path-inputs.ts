/** Path inputs of an endpoint: every parameter is one, with or without a row. */
import type { FieldRule } from "../../../../fields/rule.ts";
import type { FieldType } from "../../../../fields/type.ts";
import type { PathTemplate } from "../../../model.ts";
import { type InputSyntax, rulesOfComparison, rulesOfInput } from "./input-fields.ts";
import { parametersOf } from "../paths/path-template.ts";
import type { EndpointReading } from "../reading.ts";

/**
 * Adds the parameters without a row. A parameter that selects a record has the type of the field by
 * which it selects. One that also sets the field of a new record obeys all of its rules, like any
 * other input that sets it.
 */
export function completeInputs(
  { inputs, parameters, plan, deeds, section }: EndpointReading,
  base: PathTemplate,
): readonly InputSyntax[] {
  const fieldOf = (
    name: string,
  ): { readonly type: FieldType; readonly rules: readonly FieldRule[] } | undefined => {
    const record = plan.records.find((record) => record.by?.parameter === name);
    if (record?.by) return record.resource.fields.get(record.by.field);
    return plan.sets?.parameter === name ? deeds.resource?.fields.get(plan.sets.field) : undefined;
  };
  const setting = (name: string | undefined) =>
    name !== undefined && plan.sets?.parameter === name ? { sets: plan.sets.field } : {};
  const listed = inputs.map((input) =>
    input.input.in === "path"
      ? { ...input, input: { ...input.input, ...setting(input.input.name[0]) } }
      : input,
  );
  const unlisted = parameters.map(({ name, position }): InputSyntax => {
    const field = fieldOf(name);
    const type = field?.type ?? ({ kind: "string" } as const);
    const sets = setting(name);
    const rules = field ? ("sets" in sets ? rulesOfInput(field.rules) : rulesOfComparison(field.rules)) : [];
    return {
      input: { name: [name], in: "path", type, rules, required: true, ...sets, position },
      phrase: section.pathPhrase,
    };
  });
  const order = [...parametersOf(base), ...parametersOf(section.path)];
  // A row for a parameter that the path doesn't have was reported.
  const inPath = [...listed, ...unlisted].filter(
    (input) => input.input.in === "path" && order.includes(input.input.name[0]),
  );
  inPath.sort((a, b) => order.indexOf(a.input.name[0]) - order.indexOf(b.input.name[0]));
  return [...inPath, ...listed.filter((input) => input.input.in !== "path")];
}
