/** What is known of a resource before any request comes: how its records are filled, checked, moved and found. */
import { identifierReader, jointlyIdentified } from "../../expressions/evaluate.ts";
import { keyLeaves } from "../../expressions/key.ts";
import type { Node } from "../../expressions/node.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import { hasRule, ruleOf, type FieldRule } from "../../fields/rule.ts";
import { expressionType, type FieldType } from "../../fields/type.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Endpoint, Field, Resource } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { Query } from "../../store/store.ts";
import { andNodes, equalsNode, fieldNode, namedNode, thisNode } from "../plan/nodes.ts";
import { evaluateOf, type PlanContext } from "../plan/context.ts";
import { type CheckQuotas, planQuotas } from "../limits/quotas.ts";
import { fieldsRead, type Filler, planFillers } from "./fill.ts";
import { planMachine, type MachinePlan } from "./machine-plan.ts";
import type { Evaluate } from "./scene.ts";

export interface ResourcePlan {
  readonly resource: Resource;
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  readonly identifier: readonly string[];
  /** Stored fields: all but the computed ones. */
  readonly stored: readonly Field[];
  /** Fields that a stored record always has. */
  readonly needed: readonly string[];
  /** Fields that are stored as hashes, or shown once. */
  readonly secrets: readonly Field[];
  /** What the service fills in when a record is made, each after those it names. */
  readonly fillers: readonly Filler[];
  /** `on update`, in order. */
  readonly updaters: readonly { readonly field: string; readonly evaluate: Evaluate }[];
  readonly fails: readonly FailPlan[];
  readonly quotas: CheckQuotas;
  readonly hasQuotas: boolean;
  /** Stored fields that the world sees, be it through computed ones: a change of the others is no *update* to it. */
  readonly told: ReadonlySet<string>;
  readonly always: readonly { readonly holds: Evaluate; readonly position: Position }[];
  readonly machine?: MachinePlan;
  /** Visible, as a condition on the candidate. */
  readonly visible?: Node;
  /** A condition on `this`: it is the record whose key is `named[name]`. */
  identifierEquals(name: string): Node;
  /** The record of a key that is put into `named["#identifier"]`; whether the caller may see it or not. */
  readonly byIdentifier: () => Query<RecordValue>;
  /** The same, of those the caller sees. */
  readonly visibleByIdentifier: () => Query<RecordValue>;
  /** The key of a record, by which references to it are stored. */
  identifierOf(record: RecordValue): Value;
  /** What identifies a record as one text, with slashes between several values. */
  nameOf(record: RecordValue): string;
}

export interface FailPlan {
  readonly code: string;
  readonly on?: string;
  readonly fails: Evaluate;
  readonly position: Position;
}

export function planResource(context: PlanContext, resource: Resource): ResourcePlan {
  const fields = new Map(resource.fields.map((field) => [field.name, field]));
  const identifier = identifierFields(resource);
  const stored = resource.fields.filter((field) => !hasRule(field.rules, "computed"));
  const identifierEquals = (name: string): Node => identifierCondition(resource, identifier, fields, name);
  let byIdentifier: Query<RecordValue> | undefined;
  let visibleByIdentifier: Query<RecordValue> | undefined;
  const plan: ResourcePlan = {
    resource,
    name: resource.name,
    fields,
    identifier,
    stored,
    needed: stored
      .map((field) => field.name)
      .filter((name) => identifier.includes(name) || hasRule(fields.get(name)?.rules ?? [], "required")),
    secrets: stored.filter((field) => isHashed(field.type) || isShownOnce(field.rules)),
    get fillers() {
      return lazily("fillers", () => planFillers(context, resource, identifier));
    },
    get updaters() {
      return lazily("updaters", () => planUpdaters(context, resource));
    },
    get fails() {
      return lazily("fails", () => planFails(context, resource.fails));
    },
    get told() {
      return lazily("told", () => toldFields(context, resource));
    },
    hasQuotas: context.model.limits.stored.some((row) => row.resource === resource.name),
    get quotas() {
      return lazily("quotas", () => planQuotas(context, plan));
    },
    get always() {
      return lazily("always", () =>
        resource.always.map((law) => ({ holds: evaluateOf(context, law), position: law.position })),
      );
    },
    ...(resource.visible ? { visible: resource.visible.node } : {}),
    identifierEquals,
    byIdentifier: () =>
      (byIdentifier ??= context.store.prepareRecords({
        resource: resource.name,
        where: [identifierEquals("#identifier")],
        order: [],
        deletedToo: true,
      })),
    visibleByIdentifier: () =>
      (visibleByIdentifier ??= context.store.prepareRecords({
        resource: resource.name,
        where: [identifierEquals("#identifier"), ...(resource.visible ? [resource.visible.node] : [])],
        order: [],
      })),
    identifierOf: identifierReader(resource.name, context.meaning.vocabulary),
    nameOf: namer(context, identifier, fields),
  };
  const made = new Map<string, unknown>();
  function lazily<T>(name: string, make: () => T): T {
    if (!made.has(name)) made.set(name, make());
    return made.get(name) as T;
  }
  if (resource.states) {
    const machine = resource.states;
    Object.defineProperty(plan, "machine", {
      get: () => lazily("machine", () => planMachine(context, resource, machine)),
    });
  }
  return plan;
}

function namer(
  { meaning }: PlanContext,
  identifier: readonly string[],
  fields: ReadonlyMap<string, Field>,
): ResourcePlan["nameOf"] {
  const parts = identifier.map((name) => {
    const type = fields.get(name)?.type;
    const isKey = type?.kind === "reference" && jointlyIdentified(type.resource, meaning.vocabulary);
    return (record: RecordValue) => {
      const value = record[name] ?? "";
      return isKey && value !== "" ? keyLeaves(String(value)).join("/") : String(value);
    };
  });
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return (record) => parts.map((part) => part(record)).join("/");
}

export function planFails(context: PlanContext, rules: Endpoint["fails"]): readonly FailPlan[] {
  return rules.map((rule) => ({
    code: rule.code,
    ...(rule.on === undefined ? {} : { on: rule.on }),
    fails: evaluateOf(context, rule.when),
    position: rule.position,
  }));
}

function planUpdaters(context: PlanContext, resource: Resource): ResourcePlan["updaters"] {
  return resource.fields.flatMap((field) => {
    const rule = ruleOf(field.rules, "on update");
    return rule ? [{ field: field.name, evaluate: evaluateOf(context, rule.value) }] : [];
  });
}

function identifierCondition(
  resource: Resource,
  identifier: readonly string[],
  fields: ReadonlyMap<string, Field>,
  name: string,
): Node {
  const self = thisNode(resource.name);
  const [only, ...others] = identifier;
  if (only === undefined) return andNodes([]);
  if (others.length > 0) return equalsNode(self, namedNode(name, self.type));
  const type = expressionType((fields.get(only) as Field).type);
  return equalsNode(fieldNode(self, only, type), namedNode(name, type));
}

/** Rules that hold a value back from the world: `password` and `credential` fields are stored as hashes. */
export function isHashed(type: FieldType): boolean {
  return type.kind === "password" || type.kind === "credential";
}

/** Fields that no output shows after the request that set them. */
export function isHidden({ type, rules }: Field): boolean {
  return (
    isHashed(type) ||
    hasRule(rules, "internal") ||
    hasRule(rules, "write-only") ||
    hasRule(rules, "shown once")
  );
}

function toldFields(context: PlanContext, resource: Resource): ReadonlySet<string> {
  const told = new Set<string>();
  for (const field of resource.fields) {
    if (isHidden(field)) continue;
    const computed = context.meaning.computed(resource.name, field.name);
    if (!computed) told.add(field.name);
    else for (const name of fieldsRead(context, resource.name, computed)) told.add(name);
  }
  return told;
}

export function isShownOnce(rules: readonly FieldRule[]): boolean {
  return hasRule(rules, "shown once");
}
