/** Nullness: all assignments of the document, each with the facts that hold at its place. */
import { placesByOutcome } from "./non-null-by-condition.ts";
import { type Place, withNonNull } from "./place.ts";
import type { Expression } from "../../expressions/node.ts";
import type { Effect, Endpoint, Model, Resource, Transition, TransitionEnd } from "../model.ts";

export interface AssignmentOf {
  readonly resource: string;
  readonly field: string;
  readonly value: Expression;
  readonly place: () => Place;
}

/** Places in endpoints (after everything that may reject the request) and in transitions. */
export interface EffectPlaces {
  endpoint(endpoint: Endpoint): Place;
  end(resource: Resource, transition: Transition, end: TransitionEnd): Place;
}

export function assignmentsOf(model: Model, places: EffectPlaces): readonly AssignmentOf[] {
  const ofEndpoints = model.endpoints.flatMap((endpoint) => {
    let known: Place | undefined;
    const place = () => (known ??= behindRefusals(endpoint, places.endpoint(endpoint)));
    return [...endpoint.set, ...endpoint.effects].flatMap((effect) => ofEffect(effect, place));
  });
  const ofTransitions = model.resources.flatMap((resource) =>
    (resource.states?.transitions ?? []).flatMap((transition) =>
      transition.ends.flatMap((end) =>
        end.effects.flatMap((effect) => ofEffect(effect, () => places.end(resource, transition, end))),
      ),
    ),
  );
  return [...ofEndpoints, ...ofTransitions];
}

function ofEffect(effect: Effect, around: () => Place): readonly AssignmentOf[] {
  const place = () => {
    const inside = effect.when ? placesByOutcome(effect.when.node, around()).yes : around();
    // No field of a null record is set.
    return effect.kind === "assign" && effect.of ? withNonNull(inside, [effect.of.node]) : inside;
  };
  switch (effect.kind) {
    case "assign":
      return [{ resource: effect.resource, field: effect.field, value: effect.value, place }];
    case "create":
    case "update":
      return (effect.kind === "create" ? effect.fields : effect.set).map(({ field, value }) => ({
        resource: effect.resource,
        field,
        value,
        place,
      }));
    default:
      return [];
  }
}

/** The facts about a request that has passed `Allowed`, `Where` and `Fails`. */
function behindRefusals(endpoint: Endpoint, from: Place): Place {
  const { allowed, where, records, fails } = endpoint;
  let place = from;
  for (const rule of [...allowed, ...records.flatMap((record) => record.allowed)])
    if (rule.kind === "condition") place = placesByOutcome(rule.condition.node, place).yes;
  for (const { node } of where) place = placesByOutcome(node, place).yes;
  for (const { when } of [...records.flatMap((record) => record.fails), ...fails])
    place = placesByOutcome(when.node, place).no;
  return place;
}
