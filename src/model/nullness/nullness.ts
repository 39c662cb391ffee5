/**
 * Nullness of a finished model: why a field may be null, by its rules and by everything that sets it, and the places
 * of the document's expressions.
 */
import { causesOf } from "./causes.ts";
import { placesByOutcome } from "./non-null-by-condition.ts";
import {
  type Cause,
  type ModelFacts,
  noCauses,
  type Place,
  type Strength,
  withNonNullFields,
  distinctReasons,
} from "./place.ts";
import type { Node } from "../../expressions/node.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { depthOf, fieldNode, inlined } from "../../expressions/nodes.ts";
import { types } from "../../expressions/type.ts";
import { hasRule, ruleOf } from "../../fields/rule.ts";
import { needsCaller } from "../authentication/caller-type.ts";
import { deliveryResourceOf } from "../events/delivery-retention.ts";
import { mayCreate } from "../endpoints/does.ts";
import { meaningOf } from "../meaning.ts";
import type { Endpoint, Field, Model, Resource, Transition, TransitionEnd } from "../model.ts";
import { type AssignmentOf, assignmentsOf, type EffectPlaces } from "./assignments.ts";
import { changesWithoutCaller, firesWithoutCaller } from "./callers.ts";
import { inputFactsIn, inputFactsOf, isAlwaysSent } from "./inputs.ts";
import { type SetInStates, setInStatesOf } from "./set-in-states.ts";

/**
 * Limits of how deep, and how often in a model, the expression of a field is evaluated again at the place of the
 * field. Beyond them, a field may be null wherever it may be null anywhere.
 */
const hereDepthMax = 4;
const hereCountMax = 300;

export function nullnessOf(model: Model, strength: Strength): Nullness {
  return new Nullness(model, strength);
}

/** The nullness of one model. */
export class Nullness implements EffectPlaces {
  readonly #model: Model;
  readonly #strength: Strength;
  readonly #meaning: Meaning;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #bare: Place;
  /** The fields whose causes are being determined. */
  readonly #evaluating = new Set<string>();
  readonly #byField = new Map<string, readonly Cause[]>();
  readonly #inStates = new Map<string, SetInStates>();
  #assignments: readonly AssignmentOf[] | undefined;
  #hereDepth = 0;
  #hereCount = 0;

  constructor(model: Model, strength: Strength) {
    this.#model = model;
    this.#strength = strength;
    this.#meaning = meaningOf(model);
    this.#resources = new Map(model.resources.map((resource) => [resource.name, resource]));
    this.#bare = { known: new Set(), locals: [], facts: this.#facts() };
  }

  /** Why the field of a record or value may be null. Empty if it never is. */
  field(resource: string, field: string): readonly Cause[] {
    return this.#fieldCauses(resource, field);
  }

  /** The place of a rule of the resource, which applies to any change. */
  resource(resource: Resource): Place {
    return this.#resourcePlace(resource, "changed");
  }

  endpoint(endpoint: Endpoint): Place {
    return endpointPlace(this.#model, endpoint, this.#bare);
  }

  end(resource: Resource, transition: Transition, end: TransitionEnd): Place {
    return endPlace(this.#model, resource, transition, end, this.#bare);
  }

  #facts(): ModelFacts {
    return {
      strength: this.#strength,
      field: (resource, name, place, of) => this.#causesHere(resource, name, place, of),
      fieldType: (resource, field) => this.#fieldOf(resource, field)?.type,
      isState: (resource, field) => this.#fieldOf(resource, field)?.role === "state",
      pattern: (node) => {
        if (node.op !== "field" || !("resource" in node.of.type)) return undefined;
        const rule = ruleOf(this.#fieldOf(node.of.type.resource, node.name)?.rules ?? [], "pattern");
        return rule?.pattern;
      },
      setInStates: (resource, states) => {
        const inStates = this.#statesOf(resource);
        const [first, ...others] = states.map((state) => inStates.get(state) ?? new Set<string>());
        return [...(first ?? [])].filter((field) => others.every((set) => set.has(field)));
      },
    };
  }

  #fieldOf(resource: string, field: string): Field | undefined {
    return this.#resources.get(resource)?.fields.find(({ name }) => name === field);
  }

  #isOfEvents(resource: string): boolean {
    return resource === this.#model.events.log?.as || resource === deliveryResourceOf(this.#model);
  }

  #statesOf(name: string): SetInStates {
    const known = this.#inStates.get(name);
    const resource = this.#resources.get(name);
    if (known || !resource) return known ?? new Map();
    // Nothing is known while it is determined.
    this.#inStates.set(name, new Map());
    const found = setInStatesOf(this.#model, resource, this.#bare);
    this.#inStates.set(name, found);
    return found;
  }

  /** The causes of a field with an expression. What is known here of the expression's operands is used. */
  #causesHere(resource: string, name: string, place?: Place, of?: Node): readonly Cause[] {
    const causes = this.#fieldCauses(resource, name);
    const field = this.#fieldOf(resource, name);
    if (causes.length === 0 || !place || !of || !field || hasRule(field.rules, "nullable")) return causes;
    const made = ruleOf(field.rules, "computed") ?? madeBy(field);
    if (!made || this.#hereDepth === hereDepthMax || this.#hereCount === hereCountMax) return causes;
    this.#hereDepth += 1;
    this.#hereCount += 1;
    try {
      const here = this.#unlessCircular(`here ${resource}.${name}`, () => [
        ...causesOf(inlined(made.value.node, of, depthOf(of)), place),
        ...(made.rule === "computed"
          ? causesByKey(field, made.value.node)
          : this.#changedCauses(resource, name)),
      ]);
      return here ? distinctReasons(here) : causes;
    } finally {
      this.#hereDepth -= 1;
    }
  }

  #fieldCauses(resource: string, name: string): readonly Cause[] {
    const key = `${resource}.${name}`;
    const known = this.#byField.get(key);
    if (known) return known;
    const owner = this.#resources.get(resource);
    const field = this.#fieldOf(resource, name);
    // In a cycle of fields, another one has the cause.
    const found =
      (owner && field && this.#unlessCircular(key, () => this.#causesOfField(owner, field))) ?? noCauses;
    const causes = distinctReasons(found);
    if (!this.#evaluating.has(key)) this.#byField.set(key, causes);
    return causes;
  }

  #unlessCircular<T>(key: string, work: () => T): T | undefined {
    if (this.#evaluating.has(key)) return undefined;
    this.#evaluating.add(key);
    try {
      return work();
    } finally {
      this.#evaluating.delete(key);
    }
  }

  #causesOfField(resource: Resource, field: Field): readonly Cause[] {
    const { rules, role, name } = field;
    const computed = this.#meaning.computed(resource.name, name);
    if (computed) {
      const place = this.#strength === "certain" ? withoutCaller(this.#bare) : this.#bare;
      return [...causesOf(computed, place), ...causesByKey(field, computed)];
    }
    if (field.gap || role !== "plain" || hasRule(rules, "required")) return noCauses;
    const node = fieldOfThis(resource.name, name);
    if (ruleOf(rules, "on delete")?.then === "clear") return [{ why: "cleared", node }];
    if (hasRule(rules, "nullable") || hasRule(rules, "empty is null")) return [{ why: "optional", node }];
    const made = madeBy(field);
    if (!made) return this.#isAlwaysGiven(resource.name, name) ? noCauses : [{ why: "optional", node }];
    return [
      ...causesOf(made.value.node, this.#resourcePlace(resource, "made")),
      ...this.#changedCauses(resource.name, name),
    ];
  }

  #assigned(): readonly AssignmentOf[] {
    this.#assignments ??= assignmentsOf(this.#model, this);
    return this.#assignments;
  }

  /** Causes by `on update`, by all assignments of the field, and by inputs that may be null. */
  #changedCauses(resource: string, field: string): readonly Cause[] {
    const owner = this.#resources.get(resource);
    const onUpdate = ruleOf(this.#fieldOf(resource, field)?.rules ?? [], "on update");
    const byUpdate =
      owner && onUpdate ? causesOf(onUpdate.value.node, this.#resourcePlace(owner, "changed")) : noCauses;
    const bySet = this.#assigned()
      .filter((assignmentOf) => assignmentOf.resource === resource && assignmentOf.field === field)
      .flatMap(({ value, place }) => causesOf(value.node, place()));
    return [...byUpdate, ...bySet, ...this.#inputCauses(resource, field)];
  }

  /** An input that is `nullable` clears the field. */
  #inputCauses(resource: string, field: string): readonly Cause[] {
    const isCleared = this.#model.endpoints.some(
      (endpoint) =>
        endpoint.resource === resource &&
        endpoint.inputs.some(({ sets, rules }) => sets === field && hasRule(rules, "nullable")),
    );
    return isCleared ? [{ why: "not sent", node: fieldOfThis(resource, field) }] : noCauses;
  }

  /** Whether every endpoint and effect that creates a record sets the field, and nothing clears it. */
  #isAlwaysGiven(resource: string, field: string): boolean {
    if (this.#strength === "certain") return false;
    const makers = this.#model.endpoints.filter(
      (endpoint) => endpoint.resource === resource && endpoint.does.some(mayCreate),
    );
    const creates = createsOf(this.#model, resource);
    if (makers.length + creates.length === 0) return false;
    return (
      makers.every((endpoint) => isGivenAt(endpoint, field)) &&
      creates.every(({ fields }) => fields.some((assignment) => assignment.field === field)) &&
      this.#changedCauses(resource, field).length === 0
    );
  }

  #resourcePlace({ name, variableName }: Resource, how: "made" | "changed"): Place {
    const hasNoCaller =
      this.#strength === "certain" ||
      this.#model.authentication.none ||
      this.#isOfEvents(name) ||
      changesWithoutCaller(this.#model, name, how);
    const records = this.#isOfEvents(name)
      ? this.#model.resources
          .filter(
            (resource) =>
              name !== deliveryResourceOf(this.#model) || resource.name !== onlyReceiver(this.#model),
          )
          .map((resource) => resource.variableName)
      : [];
    const place: Place = {
      ...this.#bare,
      self: variableName,
      names: namesThatMayBeNull(["old", ...records]),
    };
    return hasNoCaller ? withoutCaller(place) : place;
  }
}

function fieldOfThis(resource: string, field: string): Node {
  return fieldNode({ op: "fixed", name: "this", type: { kind: "record", resource } }, field, types.any);
}

/** A reference that is computed as a key may lead to no record. */
function causesByKey({ type }: Field, computed: Node): readonly Cause[] {
  const isKey = type.kind === "reference" && computed.type.kind !== "record";
  return isKey ? [{ why: "none found", node: computed }] : noCauses;
}

/** The resource of all receivers of deliveries. Undefined if there are several, or none. */
function onlyReceiver({ events }: Model): string | undefined {
  const recipients = [
    events.webhooks,
    ...events.events.map(({ to }) => (typeof to === "object" ? to : undefined)),
  ];
  const names = new Set(recipients.flatMap((recipient) => (recipient ? [recipient.resource] : [])));
  const [only, ...others] = names;
  return others.length === 0 ? only : undefined;
}

function madeBy({ rules }: Field) {
  return ruleOf(rules, "on create") ?? ruleOf(rules, "default");
}

function createsOf(model: Model, resource: string) {
  const ends = model.resources.flatMap(
    ({ states }) => states?.transitions.flatMap((transition) => transition.ends) ?? [],
  );
  const effects = [...model.endpoints, ...ends].flatMap((item) =>
    "set" in item ? [...item.set, ...item.effects] : item.effects,
  );
  return effects.flatMap((effect) =>
    effect.kind === "create" && effect.resource === resource ? [effect] : [],
  );
}

function isGivenAt({ inputs, set, scope }: Endpoint, field: string): boolean {
  return (
    inputs.some((input) => input.sets === field && input.required && isAlwaysSent(input)) ||
    set.some((effect) => effect.kind === "assign" && !effect.of && effect.field === field && !effect.when) ||
    scope?.field === field
  );
}

// ── Places ──────────────────────────────────────────────────────────────────────────────────────

function namesThatMayBeNull(names: readonly string[], why: Cause["why"] = "no record") {
  return Object.fromEntries(
    names.map((name): [string, readonly Cause[]] => [
      name,
      [{ why, node: { op: "named", name, type: types.any } }],
    ]),
  );
}

function withoutCaller(place: Place): Place {
  return {
    ...place,
    names: { ...place.names, ...namesThatMayBeNull(["caller", "credential"], "no caller") },
  };
}

/** The place before anything could reject the request. */
function endpointPlace(model: Model, endpoint: Endpoint, bare: Place): Place {
  const { does, lets, inputs, records } = endpoint;
  const resource = model.resources.find(({ name }) => name === endpoint.resource);
  const target = records.find((record) => record.target);
  const isNamedThis = resource && (!target || target.name === resource.variableName);
  const isOptional = does.some((action) => "ifAny" in action && action.ifAny);
  const start: Place = {
    ...bare,
    ...(isNamedThis ? { self: resource.variableName } : {}),
    names: {
      ...namesThatMayBeNull(does.some(mayCreate) ? ["old"] : []),
      ...(isOptional ? namesThatMayBeNull(["this", resource?.variableName ?? "this"], "none found") : {}),
    },
    input: inputFactsOf(endpoint),
  };
  const place = needsCaller(model, endpoint) ? start : withoutCaller(start);
  const named = lets.map(({ name, value }): [string, readonly Cause[]] => [
    name,
    causesOf(value.node, place),
  ]);
  const withLets: Place = {
    ...place,
    names: { ...place.names, ...Object.fromEntries(named) },
    ...(lets.length === 0 ? {} : { lets: new Map(lets.map(({ name, value }) => [name, value.node])) }),
  };
  if (!resource) return withLets;
  const sent = inputs.flatMap((input) =>
    input.sets !== undefined && isAlwaysSent(input) ? [input.sets] : [],
  );
  return withNonNullFields(withLets, resource.name, sent);
}

/** The place of the effects of a transition's end, after its guard. */
function endPlace(
  model: Model,
  resource: Resource,
  transition: Transition,
  { from, guard }: TransitionEnd,
  bare: Place,
): Place {
  const start: Place = {
    ...bare,
    self: resource.variableName,
    input: inputFactsIn(model, resource.name, transition.name),
  };
  const called = firesWithoutCaller(model, resource.name, transition.name) ? withoutCaller(start) : start;
  const set = from === "any" ? [] : bare.facts.setInStates(resource.name, from);
  const place = withNonNullFields(called, resource.name, set);
  return guard ? placesByOutcome(guard.condition.node, place).yes : place;
}
