/**
 * Defaults of parts (part 2, `default`): applied to absent parts of objects and embedded values.
 * Inputs get them when they are parsed (`fields/types/object.ts`). This file applies them to values
 * of the document: defaults, `Set`, effects, `Given`.
 */
import type { Value } from "../../expressions/value.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { PlanContext } from "./plan-context.ts";

/**
 * The parts of the context that are needed: the fields of values, and the evaluation of a part's
 * default.
 */
type PartContext = Pick<PlanContext, "resource" | "partDefault">;

type ValueMap = { readonly [key: string]: Value };

/**
 * Applies defaults to absent parts. Returns the same value if no part is absent. A null part stays
 * null: only absent parts get their defaults.
 */
export function withPartDefaults(context: PartContext, type: FieldType, value: Value): Value {
  return filled({ context, of: "defaults" }, type, value, []);
}

/**
 * Returns the value as the store returns it: with all parts, absent ones as their defaults or null.
 */
export function withAllParts(context: PartContext, type: FieldType, value: Value): Value {
  return filled({ context, of: "all" }, type, value, []);
}

interface DefaultsContext {
  readonly context: PartContext;
  readonly of: "defaults" | "all";
}

/** @param within parts whose defaults are in progress, so that a recursive value terminates */
function filled(
  defaults: DefaultsContext,
  type: FieldType,
  value: Value,
  within: readonly FieldPart[],
): Value {
  if (value === null || typeof value !== "object" || !mayLack(defaults, type)) return value;
  if (type.kind === "list") {
    if (!Array.isArray(value)) return value;
    const each = value.map((item: Value) => filled(defaults, type.of, item, within));
    return each.some((candidate, at) => candidate !== value[at]) ? each : value;
  }
  if (Array.isArray(value) || value instanceof Uint8Array) return value;
  const map = value as ValueMap;
  const changes =
    type.kind === "map" ? inEach(defaults, type.of, map, within) : inParts(defaults, type, map, within);
  return changes.length === 0 ? value : changed(map, changes);
}

type Change = readonly [name: string, value: Value];

function inEach(
  defaults: DefaultsContext,
  of: FieldType,
  map: ValueMap,
  within: readonly FieldPart[],
): Change[] {
  return Object.keys(map).flatMap((name) => changeOf(defaults, name, of, map[name] as Value, within));
}

function inParts(
  defaults: DefaultsContext,
  type: FieldType,
  map: ValueMap,
  within: readonly FieldPart[],
): Change[] {
  const { context, of } = defaults;
  return partsOf(context, type).flatMap((part): readonly Change[] => {
    if (Object.hasOwn(map, part.name))
      return changeOf(defaults, part.name, part.type, map[part.name] as Value, within);
    const byDefault = ruleOf(part.rules, "default")?.value;
    if (!byDefault || within.includes(part)) return of === "all" ? [[part.name, null]] : [];
    const value = context.partDefault(byDefault);
    return [[part.name, filled(defaults, part.type, value, [...within, part])]];
  });
}

function changeOf(
  defaults: DefaultsContext,
  name: string,
  type: FieldType,
  value: Value,
  within: readonly FieldPart[],
): readonly Change[] {
  const whole = filled(defaults, type, value, within);
  return whole === value ? [] : [[name, whole]];
}

function changed(map: ValueMap, changes: readonly Change[]): Value {
  const made = Object.assign(bareObject<Record<string, Value>>(), map);
  for (const [name, value] of changes) made[name] = value;
  return made;
}

function partsOf(context: PartContext, type: FieldType): readonly FieldPart[] {
  if (type.kind === "object") return type.parts;
  return type.kind === "value" ? context.resource(type.resource).stored : [];
}

const known = { defaults: new WeakMap<FieldType, boolean>(), all: new WeakMap<FieldType, boolean>() };

/**
 * Whether a value can lack a part with a default. For most types it can't, and their values are
 * used unchanged.
 */
function mayLack({ context, of }: DefaultsContext, type: FieldType): boolean {
  let may = known[of].get(type);
  if (may === undefined) {
    may = seeksPart(
      context,
      type,
      new Set(),
      (part) => of === "all" || ruleOf(part.rules, "default") !== undefined,
    );
    known[of].set(type, may);
  }
  return may;
}

/** @param visited resources on the current path, because a value may contain itself */
function seeksPart(
  context: PartContext,
  type: FieldType,
  seen: Set<string>,
  matches: (part: FieldPart) => boolean,
): boolean {
  if (type.kind === "list" || type.kind === "map") return seeksPart(context, type.of, seen, matches);
  if (type.kind === "value") {
    if (seen.has(type.resource)) return false;
    seen.add(type.resource);
  }
  return partsOf(context, type).some((part) => matches(part) || seeksPart(context, part.type, seen, matches));
}
