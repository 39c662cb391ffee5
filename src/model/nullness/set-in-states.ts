/**
 * Nullness: fields that every record in a state has. Each transition into the state sets them or keeps them, and
 * nothing clears them. This is the greatest fixed point: it starts with all fields that a transition sets, and
 * removes fields until nothing changes.
 */
import { causesOf } from "./causes.ts";
import { type Place, withNonNullFields } from "./place.ts";
import { hasRule, ruleOf } from "../../fields/rule.ts";
import type { Effect, Model, Resource, StateMachine, TransitionEnd } from "../model.ts";

/** Names of fields by state. */
export type SetInStates = ReadonlyMap<string, ReadonlySet<string>>;

/** @param bare a place where only the model is known */
export function setInStatesOf(model: Model, resource: Resource, bare: Place): SetInStates {
  const machine = resource.states;
  if (!machine) return new Map();
  const names = machine.states.map(({ name }) => name);
  const ends = machine.transitions.flatMap((transition) => transition.ends);
  const kept = new Set(
    ends
      .flatMap(({ effects }) => effects.flatMap((effect) => ownAssignment(effect, resource)?.field ?? []))
      .filter((field) => !isClearedElsewhere(model, resource, field, bare)),
  );
  const table = new Map(names.map((name) => [name, new Set(mayStartIn(machine, name) ? [] : kept)]));
  const fromOf = ({ from }: TransitionEnd) => (from === "any" ? names : from);

  function around(end: TransitionEnd): Place {
    const [first, ...others] = fromOf(end).map((state) => table.get(state));
    const known = [...(first ?? [])].filter((field) => others.every((set) => set?.has(field)));
    return withNonNullFields({ ...bare, self: resource.variableName }, resource.name, known);
  }

  /** Fields to remove from the states that the end leads to. */
  function lostAt(end: TransitionEnd): readonly string[] {
    const place = around(end);
    const assigned = end.effects.flatMap((effect) => ownAssignment(effect, resource) ?? []);
    const isNullable = ({ value }: OwnAssignment) => causesOf(value.node, place).length > 0;
    return [...kept].filter((field) => {
      const own = assigned.filter((candidate) => candidate.field === field);
      if (own.some((candidate) => !candidate.when && !candidate.of && !isNullable(candidate))) return false;
      const isCleared = own.some(isNullable);
      return isCleared || !(end.same || fromOf(end).every((state) => table.get(state)?.has(field)));
    });
  }

  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (const end of ends) {
      const cleared = lostAt(end);
      for (const state of end.same ? fromOf(end) : [end.to])
        for (const field of cleared) if (table.get(state)?.delete(field)) hasChanged = true;
    }
  }
  return table;
}

type OwnAssignment = Extract<Effect, { kind: "assign" }>;

function ownAssignment(effect: Effect, resource: Resource): OwnAssignment | undefined {
  return effect.kind === "assign" && effect.resource === resource.name ? effect : undefined;
}

function mayStartIn({ initial }: StateMachine, state: string): boolean {
  return initial?.node.op !== "literal" || initial.node.value === state;
}

/**
 * Whether the field is cleared by an input that accepts null, by the deletion of a referenced record, or by an effect
 * outside of the state machine.
 */
function isClearedElsewhere(model: Model, resource: Resource, field: string, bare: Place): boolean {
  const rules = resource.fields.find(({ name }) => name === field)?.rules;
  if (!rules || ruleOf(rules, "on delete")?.then === "clear") return true;
  const isInput = model.endpoints.some(
    (endpoint) => endpoint.resource === resource.name && endpoint.inputs.some(({ sets }) => sets === field),
  );
  if (isInput && hasRule(rules, "nullable")) return true;
  const otherEffects = model.resources
    .filter((other) => other !== resource)
    .flatMap(({ states }) => states?.transitions ?? [])
    .flatMap(({ ends }) => ends.flatMap(({ effects }) => effects));
  const effects = [
    ...model.endpoints.flatMap((endpoint) => [...endpoint.set, ...endpoint.effects]),
    ...otherEffects,
  ];
  return effects.some((effect) => {
    if (!("resource" in effect) || effect.resource !== resource.name) return false;
    const set = effect.kind === "assign" ? [effect] : effect.kind === "update" ? effect.set : [];
    return set.some(
      (assignment) => assignment.field === field && causesOf(assignment.value.node, bare).length > 0,
    );
  });
}
