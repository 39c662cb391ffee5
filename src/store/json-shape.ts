/**
 * The one form in which objects and embedded values are kept: all their parts, in the document's order, null where there is
 * nothing. So the stored text is the text of an answer wherever the parts are written as they are kept, and two equal values
 * are equal texts.
 */
import { hasRule } from "../fields/rule.ts";
import type { FieldType } from "../fields/type.ts";
import type { Model } from "../model/model.ts";
import type { Value } from "../expressions/value.ts";

export type JsonShape =
  /** A list's or a map's elements. */
  { readonly each: JsonShape } | { readonly parts: readonly JsonPart[] };

export interface JsonPart {
  readonly name: string;
  /** What stands there, as far as it decides how it is kept: `text`, `integer`, `list of text` … */
  readonly form: string;
  readonly shape?: JsonShape;
}

/** The shape of a type; undefined where no parts stand in it. A value inside of itself is left as it is given. */
export function jsonShapeOf(
  type: FieldType,
  model: Model,
  inside: readonly string[] = [],
): JsonShape | undefined {
  switch (type.kind) {
    case "list":
    case "map": {
      const each = jsonShapeOf(type.of, model, inside);
      return each && { each };
    }
    case "object":
      return { parts: type.parts.map((part) => named(part.name, part.type, model, inside)) };
    case "value": {
      const value = model.resources.find((resource) => resource.name === type.resource);
      if (!value || inside.includes(value.name)) return undefined;
      const kept = value.fields.filter((field) => !hasRule(field.rules, "computed"));
      return { parts: kept.map((field) => named(field.name, field.type, model, [...inside, value.name])) };
    }
    default:
      return undefined;
  }
}

function named(name: string, type: FieldType, model: Model, inside: readonly string[]): JsonPart {
  const shape = jsonShapeOf(type, model, inside);
  return { name, form: formOf(type), ...(shape && { shape }) };
}

/** What a type is as far as it decides how its values are kept; texts of all kinds are one. */
export function formOf(type: FieldType): string {
  switch (type.kind) {
    case "list":
    case "map":
      return `${type.kind} of ${formOf(type.of)}`;
    case "object":
    case "value":
      return "parts";
    case "integer":
    case "number":
    case "decimal":
    case "boolean":
    case "timestamp":
    case "date":
    case "duration":
    case "json":
    case "password":
    case "credential":
      return type.kind;
    case "reference":
      return "reference";
    default:
      return "text";
  }
}

/** Do parts of one name stand in both forms for the same: what was kept under the one can be read under the other. */
export function isSameForm(old: JsonShape, now: JsonShape): boolean {
  if ("each" in old || "each" in now) return "each" in old && "each" in now && isSameForm(old.each, now.each);
  return now.parts.every((part) => {
    const before = old.parts.find((one) => one.name === part.name);
    if (!before) return true;
    return (
      before.form === part.form && (!before.shape || !part.shape || isSameForm(before.shape, part.shape))
    );
  });
}

/** The value in its shape: parts in order, none missing, none besides. */
export function inShape(value: Value, shape: JsonShape | undefined): Value {
  if (!shape || typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if ("each" in shape) {
    if (Array.isArray(value)) return value.map((item) => inShape(item, shape.each));
    const entries = Object.entries(value as Readonly<Record<string, Value>>);
    return Object.fromEntries(entries.map(([key, item]) => [key, inShape(item, shape.each)]));
  }
  if (Array.isArray(value)) return value;
  const given = value as Readonly<Record<string, Value>>;
  const parts: Record<string, Value> = {};
  for (const { name, shape: inner } of shape.parts) {
    const part = Object.hasOwn(given, name) ? (given[name] as Value) : null;
    parts[name] = inner ? inShape(part, inner) : (part ?? null);
  }
  return parts;
}

/** Would the value lose something in this shape: a part that is there and has no place. */
export function losesParts(value: Value, shape: JsonShape | undefined): boolean {
  if (!shape || typeof value !== "object" || value === null || value instanceof Uint8Array) return false;
  if ("each" in shape) return Object.values(value).some((item) => losesParts(item as Value, shape.each));
  return Object.entries(value as Readonly<Record<string, Value>>).some(([name, part]) => {
    const place = shape.parts.find((one) => one.name === name);
    return place ? losesParts(part, place.shape) : part !== null;
  });
}
