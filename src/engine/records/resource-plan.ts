/** What is known of a resource before any request comes: how its records are filled, checked, moved and found. */
import { nonNull } from "../../support/non-null.ts";
import { identifierReader, jointlyIdentified } from "../../expressions/evaluate.ts";
import { keyLeaves } from "../../expressions/key.ts";
import type { Node } from "../../expressions/node.ts";
import type { ObjectValue, RecordValue, Value } from "../../expressions/value.ts";
import { compileValueCheck, type ValueCheck } from "../../fields/check-value.ts";
import { compileToStored } from "../../fields/stored-form.ts";
import { hasRule, isServiceSet, isShownOnce, ruleOf } from "../../fields/rule.ts";
import { expressionType } from "../../fields/type.ts";
import { isOfAttempts } from "../../model/delivery-retention.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Endpoint, Field, Gap, Resource } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { Query } from "../../store/store.ts";
import { andNodes, equalsNode, fieldNode, namedNode, thisNode } from "../evaluation/nodes.ts";
import { planAssigned } from "./assigned.ts";
import type { PlanContext } from "./plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { type CheckQuotas, planQuotas } from "./quotas.ts";
import { fieldsRead, type DefaultValue, planDefaultValues } from "./default-values.ts";
import { planMachine, type MachinePlan } from "./machine-plan.ts";
import type { Evaluate, EvaluationContext } from "../evaluation/context.ts";
import { isHashed, isHidden } from "./hidden-fields.ts";
import { fireTransition } from "./transition.ts";

/**
 * A class, for expressions and queries are compiled when they are first asked for: resources refer to each other, and many are never
 * written to.
 */
export class ResourcePlan {
  readonly resource: Resource;
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  readonly identifier: readonly string[];
  /** Stored fields: all but the computed ones. */
  readonly stored: readonly Field[];
  /** A record in which nothing is set, to begin with. A copy is made in one piece, where setting field by field isn't. */
  readonly empty: Readonly<Record<string, Value>>;
  /** Fields that a stored record always has. */
  readonly requiredFields: readonly string[];
  /** Maps of which an update sends the keys that are to change. */
  readonly mergedFields: readonly string[];
  /** Fields that are stored as hashes, or shown once. */
  readonly secretFields: readonly Field[];
  readonly hasQuotas: boolean;
  /** What a new record needs, where it is given no value for the field, and the document doesn't show. */
  readonly gapsOnCreate: readonly OpenField[];
  /** Fields of an unknown type: no value can be stored in them. */
  readonly untyped: readonly OpenField[];
  /** What a change of a record needs, and the document doesn't show. */
  readonly gapsOnUpdate: readonly OpenField[];
  /** Visible, as a condition on the candidate. */
  readonly visible: Node | undefined;
  /** The key of a record, by which references to it are stored. */
  readonly identifierOf: (record: ObjectValue) => Value;
  /** What identifies a record as one text, with slashes between several values. */
  readonly nameOf: (record: RecordValue) => string;
  readonly #context: PlanContext;
  #forms: ReadonlyMap<string, FieldForm> | undefined;
  #defaultValues: readonly DefaultValue[] | undefined;
  #updaters: readonly Updater[] | undefined;
  #attemptUpdaters: readonly Updater[] | undefined;
  #fails: readonly FailPlan[] | undefined;
  #quotas: CheckQuotas | undefined;
  #visibleFields: ReadonlySet<string> | undefined;
  #always: readonly { readonly holds: Evaluate; readonly position: Position }[] | undefined;
  #machine: MachinePlan | undefined;
  #byIdentifier: Query<RecordValue> | undefined;
  #visibleByIdentifier: Query<RecordValue> | undefined;

  constructor(context: PlanContext, resource: Resource) {
    this.#context = context;
    this.resource = resource;
    this.name = resource.name;
    this.fields = new Map(resource.fields.map((field) => [field.name, field]));
    this.identifier = identifierFields(resource);
    this.stored = resource.fields.filter((field) => !hasRule(field.rules, "computed"));
    this.empty = {
      "#row": 0,
      "#revision": 0,
      ...Object.fromEntries(this.stored.map((field) => [field.name, null])),
    };
    this.requiredFields = this.stored
      .filter((field) => this.identifier.includes(field.name) || hasRule(field.rules, "required"))
      .map((field) => field.name);
    this.mergedFields = this.stored
      .filter((field) => hasRule(field.rules, "merged"))
      .map((field) => field.name);
    this.secretFields = this.stored.filter((field) => isHashed(field.type) || isShownOnce(field.rules));
    this.hasQuotas = context.model.limits.stored.some((row) => row.resource === resource.name);
    this.gapsOnCreate = [
      ...this.stored.flatMap(({ name, open }) => (open?.made ? [{ field: name, gap: open.made }] : [])),
      ...(resource.states?.initialGap
        ? [{ field: resource.states.field, gap: resource.states.initialGap }]
        : []),
    ];
    this.untyped = this.stored.flatMap(({ name, type, gap }) =>
      gap && type.kind === "not shown" ? [{ field: name, gap }] : [],
    );
    this.gapsOnUpdate = this.stored.flatMap(({ name, open }) =>
      open?.changed ? [{ field: name, gap: open.changed }] : [],
    );
    this.visible = resource.visible?.node;
    this.identifierOf = identifierReader(resource.name, context.meaning.vocabulary);
    this.nameOf = namer(context, this.identifier, this.fields);
  }

  /** How values that come by no request are brought into the form of their field, and judged; none of it for most fields. */
  get forms(): ReadonlyMap<string, FieldForm> {
    this.#forms ??= planForms(this.#context, this.stored);
    return this.#forms;
  }

  /** What the service fills in when a record is made, each after those it names. */
  get defaultValues(): readonly DefaultValue[] {
    this.#defaultValues ??= planDefaultValues(this.#context, this.resource, this.identifier);
    return this.#defaultValues;
  }

  /** `on update`, in order: what is asked with each change. */
  get updaters(): readonly Updater[] {
    this.#updaters ??= this.attemptUpdaters.filter(({ ofAttempts }) => !ofAttempts);
    return this.#updaters;
  }

  /** Of `Delivery`, what is asked with each attempt: those besides that read what it came to. Other changes leave their fields alone. */
  get attemptUpdaters(): readonly Updater[] {
    this.#attemptUpdaters ??= planUpdaters(this.#context, this.resource);
    return this.#attemptUpdaters;
  }

  get fails(): readonly FailPlan[] {
    this.#fails ??= planFails(this.#context, this.resource.fails);
    return this.#fails;
  }

  get quotas(): CheckQuotas {
    this.#quotas ??= planQuotas(this.#context, this);
    return this.#quotas;
  }

  /** Stored fields that the world sees, be it through computed ones: a change of the others is no *update* to it. */
  get visibleFields(): ReadonlySet<string> {
    this.#visibleFields ??= visibleFieldsOf(this.#context, this.resource);
    return this.#visibleFields;
  }

  get always(): readonly { readonly holds: Evaluate; readonly position: Position }[] {
    this.#always ??= this.resource.always.map((rule) => ({
      holds: evaluateOf(this.#context, rule),
      position: rule.position,
    }));
    return this.#always;
  }

  get machine(): MachinePlan | undefined {
    if (this.resource.states)
      this.#machine ??= planMachine(this.#context, this.resource, this.resource.states);
    return this.#machine;
  }

  /** Takes a transition on a record; see `transition.ts`. Here, for effects take transitions, which have effects. */
  fire(
    evaluation: EvaluationContext,
    record: RecordValue,
    transition: string,
    body: Value,
  ): Promise<RecordValue> {
    return fireTransition(this.#context, this, evaluation, record, transition, body);
  }

  /** A condition on `this`: it is the record whose key is `named[name]`. */
  identifierEquals(name: string): Node {
    return identifierCondition(this.resource, this.identifier, this.fields, name);
  }

  /** The record of a key that is put into `named["#identifier"]`; whether the caller may see it or not. */
  byIdentifier(): Query<RecordValue> {
    this.#byIdentifier ??= this.#context.store.prepareRecords({
      resource: this.name,
      where: [this.identifierEquals("#identifier")],
      order: [],
      deletedToo: true,
    });
    return this.#byIdentifier;
  }

  /** The same, of those the caller sees. */
  visibleByIdentifier(): Query<RecordValue> {
    this.#visibleByIdentifier ??= this.#context.store.prepareRecords({
      resource: this.name,
      where: [this.identifierEquals("#identifier"), ...(this.visible ? [this.visible] : [])],
      order: [],
    });
    return this.#visibleByIdentifier;
  }
}

interface OpenField {
  /** Absent where it isn't known which field it is. */
  readonly field: string | undefined;
  readonly gap: Gap;
}

export interface FieldForm {
  readonly normalize?: ((value: Value) => Value) | undefined;
  readonly broken?: ValueCheck | undefined;
}

function planForms(context: PlanContext, stored: readonly Field[]): ReadonlyMap<string, FieldForm> {
  // What the service itself sets in an embedded value is nothing that a rule asks for.
  const fieldsOf = (resource: string) =>
    context.resource(resource).stored.filter((field) => !isServiceSet(field.rules));
  return new Map(
    stored.flatMap(({ name, type, rules }) => {
      const normalize = compileToStored(type, rules, fieldsOf);
      const broken = compileValueCheck(type, rules, fieldsOf);
      return normalize || broken ? [[name, { kept: normalize, broken }] as const] : [];
    }),
  );
}

export interface FailPlan {
  readonly code: string;
  readonly on?: string;
  readonly fails: Evaluate;
  readonly position: Position;
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

export interface Updater {
  readonly field: string;
  readonly evaluate: Evaluate;
  /** It reads the event, the attempt or the webhook of a delivery, which stand nowhere else. */
  readonly ofAttempts: boolean;
}

function planUpdaters(context: PlanContext, resource: Resource): readonly Updater[] {
  return resource.fields.flatMap((field) => {
    const rule = ruleOf(field.rules, "on update");
    if (!rule) return [];
    const ofAttempts = isOfAttempts(rule.value.node, resource, context.model);
    const evaluate = planAssigned(
      context,
      resource.name,
      field.name,
      rule.value.node,
      evaluateOf(context, rule.value),
    );
    return [{ field: field.name, evaluate, ofAttempts }];
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
  const type = expressionType(nonNull(fields.get(only)).type);
  return equalsNode(fieldNode(self, only, type), namedNode(name, type));
}

function visibleFieldsOf(context: PlanContext, resource: Resource): ReadonlySet<string> {
  const visibleFields = new Set<string>();
  for (const field of resource.fields) {
    if (isHidden(field)) continue;
    const computed = context.meaning.computed(resource.name, field.name);
    if (!computed) visibleFields.add(field.name);
    else for (const name of fieldsRead(context, resource, [computed])) visibleFields.add(name);
  }
  return visibleFields;
}
