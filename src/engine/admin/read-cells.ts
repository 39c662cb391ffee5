/**
 * Table cells: converts the texts of table cells to JSON values, by the types of the columns'
 * fields.
 */
import { nonNull } from "../../support/non-null.ts";
import type { FieldType } from "../../fields/type.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { Json } from "../../support/json.ts";
import { readJsonText } from "../../support/formats/json-reader.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { partsOf } from "./hidden-parts.ts";
import type { SentFields } from "./read-fields.ts";
import { type FieldError, FieldsRefused } from "./refusals.ts";

/** By column, such as `address.city`; null for an empty cell. */
export type SentCells = Readonly<Record<string, string | null>>;

/**
 * Converts the cells of a row to fields.
 * @throws FieldsRefused
 */
export function fieldsOfCells(context: PlanContext, plan: ResourcePlan, cells: SentCells): SentFields {
  const fields = bareObject<Record<string, Json>>();
  const errors: FieldError[] = [];
  for (const [column, text] of Object.entries(cells)) {
    const path = column.split(".");
    const type = typeAt(context, plan.fields.get(nonNull(path[0]))?.type, path.slice(1));
    const json = text === null || type === undefined ? text : jsonOfCell(context, type, text);
    if (json === undefined)
      errors.push({ field: column.slice(0, 100), message: "must be JSON, because it is a list or a map" });
    // A column without a field is rejected later, by its name.
    else if (type === undefined) fields[column] = json;
    else if (!put(fields, path, json))
      errors.push({ field: column, message: `and "${path[0]}" are both columns; remove one of them` });
  }
  if (errors.length > 0) throw new FieldsRefused(plan.name, errors);
  return fields;
}

function typeAt(
  context: PlanContext,
  type: FieldType | undefined,
  [name, ...rest]: readonly string[],
): FieldType | undefined {
  if (type === undefined || name === undefined) return type;
  return typeAt(context, partsOf(context, type).find((part) => part.name === name)?.type, rest);
}

/**
 * Converts a text to JSON. Returns undefined if the text should be JSON and isn't. A text that
 * should be a number and isn't stays a text, which the type's reader rejects.
 */
function jsonOfCell(context: PlanContext, type: FieldType, text: string): Json | undefined {
  switch (type.kind) {
    case "integer":
    case "number":
      return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : text;
    case "list":
    case "map":
    case "object":
    case "value":
    case "json":
      return parsed(text);
    case "reference": {
      const target = context.resource(type.resource);
      const [own, ...others] = target.identifier;
      const key = others.length === 0 ? target.fields.get(own as string)?.type : undefined;
      return key ? jsonOfCell(context, key, text) : parsed(text);
    }
    default:
      return text;
  }
}

function parsed(text: string): Json | undefined {
  const read = readJsonText(text);
  return read.problem === undefined ? read.json : undefined;
}

function put(fields: Record<string, Json>, [name = "", ...rest]: readonly string[], json: Json): boolean {
  if (rest.length === 0) {
    if (name in fields) return false;
    fields[name] = json;
    return true;
  }
  const inner = (name in fields ? fields[name] : bareObject<Record<string, Json>>()) as Json;
  if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return false;
  fields[name] = inner;
  return put(inner as Record<string, Json>, rest, json);
}
