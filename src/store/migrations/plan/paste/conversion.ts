/**
 * Suggests the line that converts the values of a field to its new type, if the notation has a
 * function for it.
 */
import type { Resource } from "../../../../model/model.ts";
import { hasRule } from "../../../../fields/rule.ts";
import type { Question } from "../../../migrate.ts";
import { keyColumn } from "../../../tables.ts";
import { columnOf, tableOf, type TablesBeforeAndAfter, unknownValue } from "./tables-before-and-after.ts";
import type { Column } from "../../../table.ts";

type Converting = Extract<Question, { readonly kind: "empty to convert" | "known" }>;

/** @param isRekeyed whether a resource already gets new keys, which references to it follow */
export function convertedLine(
  { table, column }: Converting,
  { before, after, model }: TablesBeforeAndAfter,
  isRekeyed: (resource: string) => boolean,
): readonly string[] | undefined {
  const old = columnOf(before, table, column);
  const now = columnOf(after, table, column);
  if (!old || !now || /\b(?:password|credential)$/.test(`${old.type} ${now.type}`)) return undefined;
  const referred = now.refersTo?.resource;
  if (referred !== undefined && (isRekeyed(referred) || old.refersTo?.resource === referred))
    return undefined;
  const value = `old.${column}`;
  const line = (effects: string): readonly string[] => [`- For each ${table}: \`${effects}\``];
  if (referred !== undefined && old.storage === "text" && !old.refersTo) {
    const resource = model.resources.find(({ name }) => name === referred);
    const found = resource && howToFind(resource);
    const name = referred.slice(0, 1).toLowerCase();
    if (resource && found)
      return line(
        `upsert ${referred} with ${[`${found} = ${value}`, ...othersOf(resource, found)].join(", ")} as ${name} when ${value} != null; ${column} = ${name}`,
      );
  }
  return line(`${column} = ${converted(value, old, now, before)}`);
}

/** The field by which a record of the resource is found, or created, from one text. */
function howToFind({ identifier, fields }: Resource): string | undefined {
  const unique = fields.find(
    ({ type, rules }) => type.kind === "string" && hasRule(rules, "unique") && !hasRule(rules, "computed"),
  );
  if (unique) return unique.name;
  return identifier.kind === "given" ? identifier.field : undefined;
}

/** The other fields that a new record needs. */
function othersOf({ identifier, fields }: Resource, found: string): readonly string[] {
  const needed = fields.filter(
    ({ name, rules, role }) =>
      name !== found &&
      role !== "state" &&
      !hasRule(rules, "default") &&
      !hasRule(rules, "on create") &&
      (hasRule(rules, "required") || (identifier.kind === "given" && identifier.field === name)),
  );
  return needed.map(({ name }) => `${name} = ${unknownValue}`);
}

const isNumber = (type: string): boolean => type === "integer" || type === "number" || type === "decimal";

/** An expression of the new type, if one function produces it. */
function converted(value: string, old: Column, now: Column, before: TablesBeforeAndAfter["before"]): string {
  const isText = old.storage === "text" && !old.refersTo;
  switch (now.type) {
    case "string":
      return stringOf(value, old, before);
    case "integer":
      if (old.type === "number") return `round(${value})`;
      if (old.type === "boolean") return `${value} ? 1 : 0`;
      return isText || old.type === "decimal" || old.type === "duration" ? `int(${value})` : unknownValue;
    case "number":
      return isText || isNumber(old.type) ? `double(${value})` : unknownValue;
    case "decimal":
      return isText || isNumber(old.type) ? `decimal(${value})` : unknownValue;
    case "boolean":
      return old.type === "integer" ? `${value} != 0` : isText ? `bool(${value})` : unknownValue;
    case "timestamp":
    case "date":
      return isText || old.type === "date" || old.type === "timestamp"
        ? `${now.type}(${value})`
        : unknownValue;
    case "duration":
      return isText || old.type === "integer" ? `duration(${value})` : unknownValue;
    case "json":
      return /^list of (?:duration|timestamp)$/.test(old.type)
        ? `${value}.map(item, string(item))`
        : unknownValue;
    default:
      if (now.type === `list of ${old.type}`) return `[${value}]`;
      return old.type === `list of ${now.type}` ? `${value}[0]` : unknownValue;
  }
}

function stringOf(value: string, old: Column, before: TablesBeforeAndAfter["before"]): string {
  if (/^(?:list|map) of |^json$|^object$/.test(old.type)) return `toJson(${value})`;
  if (!old.refersTo) return `string(${value})`;
  const target = tableOf(before, old.refersTo.resource);
  const field = target && keyColumn(target);
  const key = field === undefined ? undefined : columnOf(before, old.refersTo.resource, field);
  if (!key) return unknownValue;
  return key.storage === "text" ? `${value}.${key.name}` : `string(${value}.${key.name})`;
}
