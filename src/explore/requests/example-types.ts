/** Types of examples: whether a text or number of the document may be the value of an input. */
import { sentName } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { isList, isMap } from "../comparison/compare-responses.ts";

/** Whether an example of the document, which may be of another input, has this type. */
export function fitsKind(type: FieldType, example: Json, model?: Model): boolean {
  switch (type.kind) {
    case "integer":
    case "number":
      return typeof example === "number";
    case "boolean":
      return typeof example === "boolean";
    case "list":
      return isList(example) && example.every((element) => fitsKind(type.of, element, model));
    case "map":
      return isMap(example);
    case "value":
    case "object":
      return isMap(example) && fitsParts(type, example, model);
    case "json":
      return true;
    case "reference":
    case "timestamp":
    case "date":
    case "file":
      return false;
    default:
      return typeof example === "string";
  }
}

function fitsParts(
  type: Extract<FieldType, { readonly kind: "value" | "object" }>,
  example: Readonly<Record<string, Json>>,
  model: Model | undefined,
): boolean {
  if (type.kind === "value" && !model) return true;
  const parts = type.kind === "object" ? type.parts : model ? fieldsOfValue(model, type.resource) : [];
  return Object.entries(example).every(([key, value]) => {
    const part = parts.find(({ name, rules }) => (sentName(rules) ?? name) === key);
    return part !== undefined && (part.type.kind === "reference" || fitsKind(part.type, value, model));
  });
}

export function fieldsOfValue(model: Model, resource: string): readonly FieldPart[] {
  return model.resources.find(({ name }) => name === resource)?.fields ?? [];
}
