/** The inputs of an endpoint with those of its path: every parameter is one, whether a row tells of it or not. */
import type { FieldType } from "../../../fields/type.ts";
import type { PathTemplate } from "../../model.ts";
import type { InputSyntax } from "./input-fields.ts";
import { parametersOf } from "./path-template.ts";
import type { EndpointReading } from "./reading.ts";

/** Adds the parameters that no row tells of; a parameter that picks a record has the type of the field that it picks by. */
export function completeInputs(
  { inputs, parameters, plan, deeds, section }: EndpointReading,
  base: PathTemplate,
): readonly InputSyntax[] {
  const fieldOf = (name: string): { readonly type: FieldType } | undefined => {
    const record = plan.records.find((one) => one.by?.parameter === name);
    if (record?.by) return record.resource.fields.get(record.by.field);
    return plan.sets?.parameter === name ? deeds.resource?.fields.get(plan.sets.field) : undefined;
  };
  const setting = (name: string | undefined) =>
    name !== undefined && plan.sets?.parameter === name ? { sets: plan.sets.field } : {};
  const told = inputs.map((one) =>
    one.input.in === "path" ? { ...one, input: { ...one.input, ...setting(one.input.name[0]) } } : one,
  );
  const untold = parameters.map(({ name, position }): InputSyntax => {
    const type = fieldOf(name)?.type ?? ({ kind: "string" } as const);
    return {
      input: { name: [name], in: "path", type, rules: [], required: true, ...setting(name), position },
      phrase: section.pathPhrase,
    };
  });
  const order = [...parametersOf(base), ...parametersOf(section.path)];
  // A row about a parameter that the path doesn't have was reported.
  const inPath = [...told, ...untold].filter(
    (one) => one.input.in === "path" && order.includes(one.input.name[0] as string),
  );
  inPath.sort((a, b) => order.indexOf(a.input.name[0] as string) - order.indexOf(b.input.name[0] as string));
  return [...inPath, ...told.filter((one) => one.input.in !== "path")];
}
