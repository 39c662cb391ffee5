/**
 * Stored and wire form of references in values: keys in the store, identifiers for clients, at any
 * depth.
 */
import { nonNull } from "../../support/non-null.ts";
import { keyParts } from "../../expressions/key.ts";
import { isObject, type ObjectValue, type Value } from "../../expressions/value.ts";
import { timestampWriters, renderTimestamp } from "../../expressions/writing/wire.ts";
import type { FieldType } from "../../fields/type.ts";
import type { PlanContext } from "./plan-context.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import { withAllParts } from "./part-defaults.ts";

type Resources = Pick<PlanContext, "resource" | "wire">;

/** Converts a reference to a resource. */
type Change = (context: Resources, resource: string, value: Value) => Value;

/** The stored form of a value: records are replaced by their keys. */
export function toStoredForm(context: Resources, type: FieldType, value: Value): Value {
  return changed(context, type, value, toKey);
}

function toKey(context: Resources, resource: string, value: Value): Value {
  return typeof value === "object" && value !== null && "#row" in value
    ? context.resource(resource).identifierOf(value as ObjectValue)
    : value;
}

/**
 * The wire form of references in a value: composite keys become objects, in the context's names and
 * formats. All other values keep their run-time form.
 */
export function toWireForm(context: Resources, type: FieldType, value: Value): Value {
  return changed(context, type, value, wireIdentifier);
}

/** The identifier of a record in wire format, from its key. */
export function wireIdentifier(context: Resources, resource: string, key: Value): Value {
  const { identifier, fields } = context.resource(resource);
  const [only, ...others] = identifier;
  const serialized = (name: string, value: Value) => {
    const { type } = nonNull(fields.get(name));
    if (type.kind === "timestamp" && typeof value === "string")
      return JSON.parse(timestampWriters[context.wire.timestamps](value)) as Value;
    return toWireForm(context, type, value);
  };
  if (only === undefined || key === null) return key;
  if (others.length === 0) return serialized(only, key);
  const parts = keyParts(String(key));
  const { identifying } = context.wire;
  return Object.fromEntries(
    identifier.map((name, at) => [
      identifying?.names[resource]?.[name] ?? name,
      serialized(name, parts[at] ?? null),
    ]),
  );
}

/** Returns the same context with timestamps in run-time form inside references. */
export function withRunTimeReferences(context: Resources): Resources {
  return {
    resource: (name) => context.resource(name),
    wire: { ...context.wire, timestamps: "milliseconds" },
  };
}

function changed(context: Resources, type: FieldType, value: Value, change: Change): Value {
  if (!holdsReference(context, type)) return value;
  switch (type.kind) {
    case "reference":
      return change(context, type.resource, value);
    case "list":
      return Array.isArray(value)
        ? value.map((item: Value) => changed(context, type.of, item, change))
        : value;
    case "map":
      return withEach(value, () => type.of, context, change);
    case "object": {
      const parts = new Map(type.parts.map((part) => [part.name, part.type]));
      return withEach(value, (name) => parts.get(name), context, change);
    }
    case "value": {
      const { fields } = context.resource(type.resource);
      return withEach(value, (name) => fields.get(name)?.type, context, change);
    }
    default:
      return value;
  }
}

function withEach(
  value: Value,
  typeOf: (name: string) => FieldType | undefined,
  context: Resources,
  change: Change,
): Value {
  if (!isObject(value)) return value;
  const converted = bareObject<Record<string, Value>>();
  for (const [name, part] of Object.entries(value)) {
    const type = typeOf(name);
    converted[name] = type ? changed(context, type, part, change) : part;
  }
  return converted;
}

const known = new WeakMap<FieldType, boolean>();

/**
 * Whether a type can contain a reference. Most types can't, and their values are used unchanged.
 */
function holdsReference(context: Resources, type: FieldType): boolean {
  const found = known.get(type);
  if (found !== undefined) return found;
  const holds = containsReference(context, type, new Set());
  known.set(type, holds);
  return holds;
}

/** @param visited values that are being visited, because a value may contain itself */
function containsReference(context: Resources, type: FieldType, visited: Set<string>): boolean {
  switch (type.kind) {
    case "reference":
      return true;
    case "list":
    case "map":
      return containsReference(context, type.of, visited);
    case "object":
      return type.parts.some((part) => containsReference(context, part.type, visited));
    case "value":
      if (visited.has(type.resource)) return false;
      visited.add(type.resource);
      return [...context.resource(type.resource).fields.values()].some((field) =>
        containsReference(context, field.type, visited),
      );
    default:
      return false;
  }
}

/** The complete stored form of a value: with all parts, normalized text, and references as keys. */
export function storedForm(context: PlanContext, plan: ResourcePlan, field: string, value: Value): Value {
  const { type } = nonNull(plan.fields.get(field));
  if (type.kind === "timestamp" && typeof value === "string" && plan.identifier.includes(field))
    return renderTimestamp(value, context.wire.timestamps);
  const complete = withAllParts(context, type, value);
  const normalize = plan.forms.get(field)?.normalize;
  return toStoredForm(context, type, normalize ? normalize(complete) : complete);
}
