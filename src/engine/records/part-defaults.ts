/**
 * Part 2, `default`, of parts of objects and of embedded values: taken wherever the part isn't there. What a request sends is filled while
 * it is read (`fields/types/object.ts`); this fills what the document itself gives: defaults, `Set`, effects, `Given`.
 */
import type { Value } from "../../expressions/value.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { PlanContext } from "./plan-context.ts";

/** What is asked of a context: the fields of values, and how the default of a part is worked out. */
type PartContext = Pick<PlanContext, "resource" | "partDefault">;

type ValueMap = { readonly [key: string]: Value };

/**
 * The value with the defaults of the parts that it hasn't got; the same value where it has them all. A part that is there and null stays
 * so: only what was never given takes its default.
 * @param within parts whose defaults are being filled: a value that holds itself is not filled for ever
 */
export function withPartDefaults(
  context: PartContext,
  type: FieldType,
  value: Value,
  within: readonly FieldPart[] = [],
): Value {
  if (value === null || typeof value !== "object" || !holdsDefault(context, type)) return value;
  if (type.kind === "list") {
    if (!Array.isArray(value)) return value;
    const each = value.map((one: Value) => withPartDefaults(context, type.of, one, within));
    return each.some((one, at) => one !== value[at]) ? each : value;
  }
  if (Array.isArray(value) || value instanceof Uint8Array) return value;
  const map = value as ValueMap;
  const changes =
    type.kind === "map" ? inEach(context, type.of, map, within) : inParts(context, type, map, within);
  return changes.length === 0 ? value : changed(map, changes);
}

type Change = readonly [name: string, value: Value];

function inEach(context: PartContext, of: FieldType, map: ValueMap, within: readonly FieldPart[]): Change[] {
  return Object.keys(map).flatMap((name) => changeOf(context, name, of, map[name] as Value, within));
}

function inParts(
  context: PartContext,
  type: FieldType,
  map: ValueMap,
  within: readonly FieldPart[],
): Change[] {
  return partsOf(context, type).flatMap((part): readonly Change[] => {
    if (Object.hasOwn(map, part.name))
      return changeOf(context, part.name, part.type, map[part.name] as Value, within);
    const byDefault = ruleOf(part.rules, "default")?.value;
    if (!byDefault || within.includes(part)) return [];
    const value = context.partDefault(byDefault);
    return [[part.name, withPartDefaults(context, part.type, value, [...within, part])]];
  });
}

function changeOf(
  context: PartContext,
  name: string,
  type: FieldType,
  value: Value,
  within: readonly FieldPart[],
): readonly Change[] {
  const filled = withPartDefaults(context, type, value, within);
  return filled === value ? [] : [[name, filled]];
}

function changed(map: ValueMap, changes: readonly Change[]): Value {
  const made = Object.assign(bareObject<Record<string, Value>>(), map);
  for (const [name, value] of changes) made[name] = value;
  return made;
}

function partsOf(context: PartContext, type: FieldType): readonly FieldPart[] {
  if (type.kind === "object") return type.parts;
  return type.kind === "value" ? [...context.resource(type.resource).fields.values()] : [];
}

const known = new WeakMap<FieldType, boolean>();

/** Most types have no part with a default, and their values are taken as they are. */
function holdsDefault(context: PartContext, type: FieldType): boolean {
  let holds = known.get(type);
  if (holds === undefined) {
    holds = seeksDefault(context, type, new Set());
    known.set(type, holds);
  }
  return holds;
}

/** @param seen values that are being gone through: one may hold itself */
function seeksDefault(context: PartContext, type: FieldType, seen: Set<string>): boolean {
  if (type.kind === "list" || type.kind === "map") return seeksDefault(context, type.of, seen);
  if (type.kind === "value") {
    if (seen.has(type.resource)) return false;
    seen.add(type.resource);
  }
  return partsOf(context, type).some(
    (part) => ruleOf(part.rules, "default") !== undefined || seeksDefault(context, part.type, seen),
  );
}
