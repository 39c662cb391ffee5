/** Conditions and assignments of a document, each with the names that can't be null there. */
import { insideMacro } from "../model/nullness/causes.ts";
import { placesByOutcome } from "../model/nullness/non-null-by-condition.ts";
import { type Place, withNonNull } from "../model/nullness/place.ts";
import type { Expression, Node } from "../expressions/node.ts";
import { types } from "../expressions/type.ts";
import type { Effect, Endpoint, FailRule, Model, Resource } from "../model/model.ts";
import type { Nullness } from "../model/nullness/nullness.ts";

export type NullnessSite =
  | ConditionSite
  | {
      readonly kind: "assignment";
      readonly resource: string;
      readonly field: string;
      readonly value: Expression;
      readonly place: Place;
      /** The record of the field: `this`, or what stands in front of the last dot. Absent in a new record. */
      readonly of?: Node;
      /** Whether a `Fails` may reject the request. */
      readonly at: "endpoint" | "transition";
    };

export interface ConditionSite {
  readonly kind: "Fails" | "Always" | "Allowed" | "Visible" | "Where";
  readonly condition: Expression;
  readonly place: Place;
  readonly nullPasses?: true;
}

const thisNode: Node = { op: "fixed", name: "this", type: types.any };

export function* nullnessSites(model: Model, nullness: Nullness): Generator<NullnessSite> {
  for (const resource of model.resources) yield* ofResource(resource, nullness);
  for (const endpoint of model.endpoints) if (!endpoint.unclear) yield* ofEndpoint(endpoint, nullness);
}

function* ofResource(resource: Resource, nullness: Nullness): Generator<NullnessSite> {
  const place = nullness.resource(resource);
  if (resource.visible) yield { kind: "Visible", condition: resource.visible, place };
  for (const condition of resource.always) yield { kind: "Always", condition, place };
  for (const rule of resource.fails) yield failsSite(rule, place);
  for (const transition of resource.states?.transitions ?? [])
    for (const end of transition.ends) {
      const behind = nullness.end(resource, transition, end);
      for (const effect of end.effects) yield* ofEffect(effect, behind, "transition");
    }
}

/** In the order of evaluation: a condition that passed determines what is not null in the next ones. */
function* ofEndpoint(endpoint: Endpoint, nullness: Nullness): Generator<NullnessSite> {
  let place = nullness.endpoint(endpoint);
  const { allowed, where, records, inputs, fails, set, effects } = endpoint;
  for (const rule of [...allowed, ...records.flatMap((record) => record.allowed)]) {
    if (rule.kind !== "condition") continue;
    yield { kind: "Allowed", condition: rule.condition, place };
    place = placesByOutcome(rule.condition.node, place).yes;
  }
  for (const condition of [...where, ...records.flatMap((record) => record.where)])
    yield { kind: "Where", condition, place: ofAnyRecord(place) };
  // The conditions of sent inputs apply together with those of the endpoint.
  const listed = where.reduce((known, { node }) => placesByOutcome(node, known).yes, ofAnyRecord(place));
  for (const { filter } of inputs)
    if (filter?.kind === "condition") yield { kind: "Where", condition: filter.condition, place: listed };
  for (const { node } of where) place = placesByOutcome(node, place).yes;
  for (const rule of [...records.flatMap((record) => record.fails), ...fails]) {
    yield failsSite(rule, place);
    place = placesByOutcome(rule.when.node, place).no;
  }
  for (const effect of [...set, ...effects]) yield* ofEffect(effect, place, "endpoint");
}

function failsSite({ when, nullPasses }: FailRule, place: Place): ConditionSite {
  return { kind: "Fails", condition: when, place, ...(nullPasses ? { nullPasses } : {}) };
}

function* ofEffect(effect: Effect, around: Place, at: "endpoint" | "transition"): Generator<NullnessSite> {
  const place = effect.when ? placesByOutcome(effect.when.node, around).yes : around;
  switch (effect.kind) {
    case "assign": {
      const { resource, field, value, of } = effect;
      const inside = of ? withNonNull(place, [of.node]) : place;
      yield { kind: "assignment", resource, field, value, place: inside, of: of?.node ?? thisNode, at };
      return;
    }
    case "create": {
      const inside = effect.for ? insideMacro(mapOf(effect.for), place) : place;
      const known = effect.for?.when ? placesByOutcome(effect.for.when.node, inside).yes : inside;
      for (const { field, value } of effect.fields)
        yield { kind: "assignment", resource: effect.resource, field, value, place: known, at };
      return;
    }
    case "update": {
      const candidate = ofAnyRecord(place);
      yield { kind: "Where", condition: effect.where, place: candidate };
      const inside = placesByOutcome(effect.where.node, candidate).yes;
      for (const { field, value } of effect.set)
        yield {
          kind: "assignment",
          resource: effect.resource,
          field,
          value,
          place: inside,
          of: thisNode,
          at,
        };
      return;
    }
    case "delete":
    case "do":
      yield { kind: "Where", condition: effect.where, place: ofAnyRecord(place) };
  }
}

/** `for x in list` as a macro, whose variable is the outermost one. */
function mapOf({ variable, list }: NonNullable<Extract<Effect, { kind: "create" }>["for"]>) {
  return { op: "macro", macro: "map", of: list.node, variable, depth: 0, type: types.any } as const;
}

/** Whether `this` is any record of the resource. Facts about the former `this` don't apply to it. */
function ofAnyRecord({ self: _self, names = {}, ...place }: Place): Place {
  const { this: _this, ...withoutThis } = names;
  const known = [...place.known].filter((key) => !key.includes('"name":"this"'));
  return { ...place, names: withoutThis, known: new Set(known) };
}
