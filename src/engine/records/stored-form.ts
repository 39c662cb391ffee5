/** What the store keeps of a value: references as identifiers, wherever in it they stand. */
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { FieldType } from "../../fields/type.ts";
import type { PlanContext } from "../plan/context.ts";
import { bareObject } from "../../support/bare-object.ts";

export function storedByType(context: PlanContext, type: FieldType, value: Value): Value {
  if (value === null || value === undefined) return null;
  if (!holdsReference(context, type)) return value;
  switch (type.kind) {
    case "reference":
      return typeof value === "object" && "#row" in value
        ? context.resource(type.resource).identifierOf(value as RecordValue)
        : value;
    case "list":
      return Array.isArray(value) ? value.map((one: Value) => storedByType(context, type.of, one)) : value;
    case "map":
      return withEach(value, () => type.of, context);
    case "object": {
      const parts = new Map(type.parts.map((part) => [part.name, part.type]));
      return withEach(value, (name) => parts.get(name), context);
    }
    case "value": {
      const { fields } = context.resource(type.resource);
      return withEach(value, (name) => fields.get(name)?.type, context);
    }
    default:
      return value;
  }
}

function withEach(
  value: Value,
  typeOf: (name: string) => FieldType | undefined,
  context: PlanContext,
): Value {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const stored = bareObject<Record<string, Value>>();
  for (const [name, one] of Object.entries(value as { readonly [key: string]: Value })) {
    const type = typeOf(name);
    stored[name] = type ? storedByType(context, type, one) : one;
  }
  return stored;
}

const known = new WeakMap<FieldType, boolean>();

/** Most values hold none, and are taken as they are. */
function holdsReference(context: PlanContext, type: FieldType): boolean {
  const found = known.get(type);
  if (found !== undefined) return found;
  const holds = seeksReference(context, type, new Set());
  known.set(type, holds);
  return holds;
}

/** @param seen values that are being gone through: one may hold itself */
function seeksReference(context: PlanContext, type: FieldType, seen: Set<string>): boolean {
  switch (type.kind) {
    case "reference":
      return true;
    case "list":
    case "map":
      return seeksReference(context, type.of, seen);
    case "object":
      return type.parts.some((part) => seeksReference(context, part.type, seen));
    case "value":
      if (seen.has(type.resource)) return false;
      seen.add(type.resource);
      return [...context.resource(type.resource).fields.values()].some((field) =>
        seeksReference(context, field.type, seen),
      );
    default:
      return false;
  }
}
