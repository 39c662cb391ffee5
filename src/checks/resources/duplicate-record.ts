/** Part 2, `Records of`: the initial records have different identifiers and unique values. */
import { canonicalDecimal } from "../../expressions/decimal.ts";
import { lowerAscii } from "../../expressions/text.ts";
import { hasRule } from "../../fields/rule.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Resource } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { Check } from "../check.ts";
import { reportRepeated } from "../repeated.ts";

export const duplicateRecord: Check = ({ resources }, reporter) => {
  for (const resource of resources)
    for (const { names, isIdentifier } of keysOf(resource)) {
      const keyOf = ({ fields }: Resource["records"][number]): string | undefined =>
        names.some((name) => (fields[name] ?? null) === null)
          ? undefined
          : JSON.stringify(names.map((name) => compared(fields[name] ?? null, name, resource)));
      reportRepeated(resource.records, keyOf, ({ fields, position }, related) => {
        const value = names.map((name) => String(fields[name])).join(", ");
        const params = { resource: resource.name, value, ...(!isIdentifier && { fields: names }) };
        reporter.report("resources/duplicate-record", position, params, related);
      });
    }
};

interface Key {
  readonly names: readonly string[];
  readonly isIdentifier: boolean;
}

function keysOf(resource: Resource): readonly Key[] {
  const identifier = identifierFields(resource);
  const unique = [
    ...resource.fields.flatMap(({ name, rules }) => (hasRule(rules, "unique") ? [[name]] : [])),
    ...resource.unique.map(({ fields }) => fields),
  ].filter((names) => names.join(" ") !== identifier.join(" "));
  return [
    ...(identifier.length > 0 ? [{ names: identifier, isIdentifier: true }] : []),
    ...unique.map((names) => ({ names, isIdentifier: false })),
  ];
}

/** The form in which the store compares a value. */
function compared(value: Json, name: string, { fields }: Resource): Json {
  const field = fields.find((candidate) => candidate.name === name);
  if (typeof value !== "string" || !field) return value;
  if (field.type.kind === "decimal") return canonicalDecimal(value);
  return hasRule(field.rules, "any case") ? lowerAscii(value) : value;
}
