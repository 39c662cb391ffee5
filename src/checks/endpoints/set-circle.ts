/**
 * Part 2: on create, each field is computed after those that it names. If `Set` items, or defaults,
 * name each other's fields in a cycle, one of them would silently read nothing. The same holds for
 * fields that a resource fills in and names through a shape. A direct cycle was reported when the
 * fields were read.
 */
import type { Node } from "../../expressions/node.ts";
import { type OwnRecord, ownFieldsRead } from "../../expressions/analysis/own-fields.ts";
import { ruleOf } from "../../fields/rule.ts";
import { cyclesIn } from "../../support/cycles.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Effect, Endpoint, Resource } from "../../model/model.ts";
import { ownRecordOf } from "../../model/resources/own-record.ts";
import type { Position } from "../../source/source.ts";
import type { Check } from "../check.ts";
import { mayCreate } from "../../model/endpoints/does.ts";

type Assign = Extract<Effect, { kind: "assign" }>;

export const setCircle: Check = (model, reporter) => {
  const meaning = meaningOf(model);
  const ownCircles = new Set<string>();
  for (const resource of model.resources) {
    const record = ownRecordOf(resource, meaning);
    const fills = new Map(resource.fields.map(({ name }) => [name, filledBy(name, resource)]));
    for (const circle of cyclesIn(stepsOf(resource, (field) => readBy(fills.get(field) ?? [], record)))) {
      ownCircles.add(keyOf(resource, circle));
      const position = positionOf(circle[0], resource);
      if (position) reporter.report("resources/fill-circle", position, { circle, resource: resource.name });
    }
  }
  for (const endpoint of model.endpoints) {
    const resource = madeBy(endpoint, model.resources);
    if (!resource) continue;
    const sets = setsOf(endpoint);
    const record = ownRecordOf(resource, meaning);
    for (const circle of cyclesIn(
      stepsOf(resource, (field) => waitedFor(field, endpoint, resource, sets, record)),
    )) {
      const ordered = beginningWithSet(circle, sets);
      if (!ordered || ownCircles.has(keyOf(resource, circle))) continue;
      const [{ position }] = sets.get(ordered[0] as string) as [Assign];
      reporter.report("endpoints/set-circle", position, { circle: ordered, resource: resource.name });
    }
  }
};

/**
 * A field's own name is no dependency: a `Set` may name it and reads its previous value; a shape
 * reads its current value.
 */
function stepsOf(
  { fields }: Resource,
  reads: (field: string) => ReadonlySet<string>,
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    fields.map(({ name }) => [name, new Set([...reads(name)].filter((other) => other !== name))]),
  );
}

function keyOf({ name }: Resource, circle: readonly string[]): string {
  return `${name}: ${[...new Set(circle)].sort().join(", ")}`;
}

function madeBy({ does, resource }: Endpoint, resources: readonly Resource[]): Resource | undefined {
  if (!does.some(mayCreate)) return undefined;
  return resources.find(({ name }) => name === resource);
}

function setsOf(endpoint: Endpoint): ReadonlyMap<string, readonly Assign[]> {
  const sets = new Map<string, Assign[]>();
  for (const effect of endpoint.set) {
    if (effect.kind !== "assign" || effect.of) continue;
    sets.set(effect.field, [...(sets.get(effect.field) ?? []), effect]);
  }
  return sets;
}

/** The fields that must have their value before this field gets one. */
function waitedFor(
  field: string,
  endpoint: Endpoint,
  resource: Resource,
  sets: ReadonlyMap<string, readonly Assign[]>,
  record: OwnRecord,
): ReadonlySet<string> {
  const own = sets.get(field) ?? [];
  if (mayBeSentInstead(field, endpoint, own)) return new Set();
  const bySets = readBy(
    own.flatMap(({ value, when }) => (when ? [value.node, when.node] : [value.node])),
    record,
  );
  const isDecided = own.some(({ when }) => !when) && !bySets.has(field);
  if (isDecided || isGiven(field, endpoint)) return bySets;
  return new Set([...bySets, ...readBy(filledBy(field, resource), record)]);
}

function readBy(nodes: readonly Node[], record: OwnRecord): ReadonlySet<string> {
  return new Set(nodes.flatMap((node) => [...ownFieldsRead(node, record)]));
}

/**
 * `Set: charge = this.intent.charge when body.charge == null`: a request that sends the field
 * breaks the cycle, and the condition distinguishes the two.
 */
function mayBeSentInstead(field: string, { inputs }: Endpoint, sets: readonly Assign[]): boolean {
  const areConditional = sets.length > 0 && sets.every(({ when }) => when);
  return areConditional && inputs.some((input) => input.sets === field);
}

/** These names have a value before any field gets one. */
function isGiven(field: string, { inputs, scope }: Endpoint): boolean {
  if (scope?.field === field) return true;
  return inputs.some(
    (input) => input.sets === field && (input.required || input.requiredWhenMade || input.default),
  );
}

/** The expression that gives the field its value if the endpoint doesn't set it. */
function filledBy(field: string, { identifier, fields, states }: Resource): readonly Node[] {
  const rules = fields.find(({ name }) => name === field)?.rules ?? [];
  return [
    identifier.kind === "made" && identifier.field === field ? identifier.by : undefined,
    ruleOf(rules, "default")?.value,
    ruleOf(rules, "on create")?.value,
    states?.field === field ? states.initial : undefined,
  ].flatMap((expression) => (expression ? [expression.node] : []));
}

function positionOf(field: string, { fields }: Resource): Position | undefined {
  return fields.find(({ name }) => name === field)?.position;
}

/**
 * The same cycle, starting with a field that a `Set` names. Undefined if it has none; the
 * resource's own cycle was reported then.
 */
function beginningWithSet(
  circle: readonly string[],
  sets: ReadonlyMap<string, unknown>,
): readonly string[] | undefined {
  const around = circle.slice(1);
  const first = around.findIndex((name) => sets.has(name));
  if (first < 0) return undefined;
  return [...around.slice(first), ...around.slice(0, first + 1)];
}
