/**
 * Stored JSON form of objects and embedded values: all their parts in the document's order, with
 * null for missing ones. So equal values have equal texts, and a response can often contain the
 * stored text unchanged.
 */
import type { Node } from "../expressions/node.ts";
import { hasRule, ruleOf } from "../fields/rule.ts";
import { compileToStored } from "../fields/stored-form.ts";
import type { FieldPart, FieldType } from "../fields/type.ts";
import type { Field, Model } from "../model/model.ts";
import type { Value } from "../expressions/value.ts";
import type { Json } from "../support/json.ts";
import { type ComputedField, computedFields, partsOfValue } from "./stored-rules.ts";

export type JsonShape =
  /** A list's or a map's elements. */
  | { readonly each: JsonShape }
  | {
      readonly parts: readonly JsonPart[];
      /**
       * The embedded value (`Identifier: none`) whose parts they are; absent for an object, and in
       * stores of earlier releases.
       */
      readonly value?: string;
      /** Its fields that aren't stored. */
      readonly computed?: readonly ComputedField[];
    };

export interface JsonPart {
  readonly name: string;
  /** The part of the type that decides the stored form: `text`, `integer`, `list of text` … */
  readonly form: string;
  readonly shape?: JsonShape;
  /** The name of the value, if a value contains itself; the inner one has no shape here. */
  readonly again?: string;
  /** The value of a new part in existing values: a literal default. */
  readonly fill?: Json;
}

/** The shape of a type; undefined if it has no parts. A value inside itself stays as it was given. */
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
      return { parts: type.parts.map((part) => named(part, model, inside)) };
    case "value": {
      const value = model.resources.find((resource) => resource.name === type.resource);
      if (!value || inside.includes(value.name)) return undefined;
      const kept = value.fields.filter((field) => !hasRule(field.rules, "computed"));
      return {
        parts: kept.map((field) => named(field, model, [...inside, value.name])),
        value: value.name,
        computed: computedFields(value),
      };
    }
    default:
      return undefined;
  }
}

function named({ name, type, rules }: FieldPart, model: Model, inside: readonly string[]): JsonPart {
  const shape = jsonShapeOf(type, model, inside);
  const again = shape ? undefined : valueIn(type);
  const fill = storedLiteral(ruleOf(rules, "default")?.value.node, { type, rules }, model);
  return {
    name,
    form: formOf(type),
    ...(shape && { shape }),
    ...(again !== undefined && { again }),
    ...(fill !== undefined && { fill }),
  };
}

/** The stored form of a literal; undefined for null, and for any other expression. */
export function storedLiteral(
  node: Node | undefined,
  { type, rules }: Pick<Field, "type" | "rules">,
  model: Model,
): Json | undefined {
  if (node?.op !== "literal") return undefined;
  const form = compileToStored(type, rules, (name) => partsOfValue(model, name));
  return (form ? (form(node.value) as Json) : node.value) ?? undefined;
}

function valueIn(type: FieldType): string | undefined {
  if (type.kind === "list" || type.kind === "map") return valueIn(type.of);
  return type.kind === "value" ? type.resource : undefined;
}

/**
 * The part of a type that decides the stored form of its values. All kinds of text have the same
 * form.
 */
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

/**
 * Whether parts with the same name have the same meaning in both forms, so that stored values can
 * be read in the other.
 */
export function isSameForm(old: JsonShape, now: JsonShape): boolean {
  if ("each" in old || "each" in now) return "each" in old && "each" in now && isSameForm(old.each, now.each);
  return now.parts.every((part) => {
    const before = old.parts.find((jsonPart) => jsonPart.name === part.name);
    if (!before) return true;
    return (
      before.form === part.form && (!before.shape || !part.shape || isSameForm(before.shape, part.shape))
    );
  });
}

/** Forms whose stored values aren't what clients send and get. */
const ownForms: ReadonlySet<string> = new Set(["duration", "password", "credential"]);

/** Whether values of a form are stored as clients send them, so that they can become plain JSON. */
export function isStoredAsSent(form: string, shape: JsonShape | undefined): boolean {
  if (ownForms.has(form.split(" of ").at(-1) as string)) return false;
  if (!shape) return true;
  if ("each" in shape) return isStoredAsSent("parts", shape.each);
  return shape.parts.every((part) => isStoredAsSent(part.form, part.shape));
}

/** Whether both have the same parts, in the same order and form. */
export function isSameShape(old: JsonShape, now: JsonShape): boolean {
  return JSON.stringify(old, bare) === JSON.stringify(now, bare);
}

const ofRelease: ReadonlySet<string> = new Set(["value", "again", "fill", "computed"]);

/** Removes members that stores of earlier releases lack, and that change no stored value. */
function bare(name: string, value: unknown): unknown {
  return ofRelease.has(name) ? undefined : value;
}

/** A formerly computed part that is stored now. */
export interface NewlyStored {
  /** `[]` of each element, `.total` of a part. */
  readonly at: string;
  readonly text: string;
}

export function newlyStored(old: JsonShape, now: JsonShape, at = ""): readonly NewlyStored[] {
  if ("each" in old || "each" in now)
    return "each" in old && "each" in now ? newlyStored(old.each, now.each, `${at}[]`) : [];
  return now.parts.flatMap((part): readonly NewlyStored[] => {
    const place = `${at}.${part.name}`;
    const before = old.parts.find(({ name }) => name === part.name);
    if (before) return before.shape && part.shape ? newlyStored(before.shape, part.shape, place) : [];
    const computed = old.computed?.find(({ name }) => name === part.name);
    return computed ? [{ at: place, text: computed.text }] : [];
  });
}

/** The values around a part that may contain it again. */
type Around = ReadonlyMap<string, JsonShape>;
const nothingAround: Around = new Map();

function around(shape: JsonShape, outer: Around): Around {
  return "parts" in shape && shape.value !== undefined ? new Map([...outer, [shape.value, shape]]) : outer;
}

function shapeOfPart({ shape, again, form }: JsonPart, outer: Around): JsonShape | undefined {
  const value = shape ?? (again === undefined ? undefined : outer.get(again));
  if (!value || shape) return value;
  const depth = form.split(" of ").length - 1;
  return Array.from({ length: depth }).reduce<JsonShape>((each) => ({ each }), value);
}

/** The value in its shape: all parts in order, and no others. */
export function inShape(value: Value, shape: JsonShape | undefined): Value {
  return shaped(value, shape, false, nothingAround);
}

/** The same for a value stored earlier: newer parts get their plain defaults. */
export function inCurrentShape(value: Value, shape: JsonShape | undefined): Value {
  return shaped(value, shape, true, nothingAround);
}

function shaped(value: Value, shape: JsonShape | undefined, fills: boolean, outer: Around): Value {
  if (!shape || typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if ("each" in shape) {
    if (Array.isArray(value)) return value.map((item) => shaped(item, shape.each, fills, outer));
    const entries = Object.entries(value as Readonly<Record<string, Value>>);
    return Object.fromEntries(entries.map(([key, item]) => [key, shaped(item, shape.each, fills, outer)]));
  }
  if (Array.isArray(value)) return value;
  const given = value as Readonly<Record<string, Value>>;
  const inner = around(shape, outer);
  const parts: Record<string, Value> = {};
  for (const jsonPart of shape.parts) {
    const fill = fills && jsonPart.fill !== undefined ? jsonPart.fill : null;
    const part = Object.hasOwn(given, jsonPart.name) ? (given[jsonPart.name] ?? null) : fill;
    parts[jsonPart.name] = shaped(part, shapeOfPart(jsonPart, inner), fills, inner);
  }
  return parts;
}

/** Whether the value would lose a part in this shape. */
export function losesParts(
  value: Value,
  shape: JsonShape | undefined,
  outer: Around = nothingAround,
): boolean {
  if (!shape || typeof value !== "object" || value === null || value instanceof Uint8Array) return false;
  if ("each" in shape)
    return Object.values(value).some((item) => losesParts(item as Value, shape.each, outer));
  const inner = around(shape, outer);
  return Object.entries(value as Readonly<Record<string, Value>>).some(([name, part]) => {
    const place = shape.parts.find((jsonPart) => jsonPart.name === name);
    return place ? losesParts(part, shapeOfPart(place, inner), inner) : part !== null;
  });
}
