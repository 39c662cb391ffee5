/** Resource plan: compiled defaults, checks, transitions and queries of a resource. */
import { nonNull } from "../../support/non-null.ts";
import { identifierReader, jointlyIdentified } from "../../expressions/evaluate.ts";
import { keyLeaves } from "../../expressions/key.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { bind, parameterNode } from "../../expressions/parameters.ts";
import type { Frame, ObjectValue, RecordValue, Value } from "../../expressions/value.ts";
import { compileValueCheck, type ValueCheck } from "../../fields/check-value.ts";
import { compileToStored } from "../../fields/stored-form.ts";
import { hasRule, isServiceSet, isShownOnce, ruleOf } from "../../fields/rule.ts";
import { expressionType } from "../../fields/type.ts";
import { isOfAttempts } from "../../model/events/delivery-retention.ts";
import { isAlwaysSet } from "../../model/nullness/never-null.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Endpoint, Field, Gap, Resource } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { Query, Session } from "../../store/store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { andNodes, equalsNode, fieldNode, thisOf } from "../evaluation/nodes.ts";
import { planAssigned } from "./assigned-values.ts";
import type { PlanContext } from "./plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { type CheckQuotas, planQuotas } from "./quotas.ts";
import { fieldsRead, type DefaultValue, planDefaultValues } from "./default-values.ts";
import { planMachine, type MachinePlan } from "./machine-plan.ts";
import type { Evaluate, EvaluationContext } from "../evaluation/context.ts";
import { isHashed, isHidden } from "./hidden-fields.ts";
import { fireTransition } from "./transition.ts";

/**
 * The class compiles expressions and queries on first use: resources refer to each other, and many
 * are never written.
 */
export class ResourcePlan {
  readonly resource: Resource;
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  readonly identifier: readonly string[];
  /** Stored fields: all but the computed ones. */
  readonly stored: readonly Field[];
  /** An empty record to copy. Copying an object is one operation, unlike setting each field. */
  readonly empty: Readonly<Record<string, Value>>;
  /** Fields that every stored record has. */
  readonly requiredFields: readonly string[];
  /** Fields that every write sets, though they aren't `required`. */
  readonly alwaysSet: ReadonlySet<string>;
  /** `merged` maps, of which an update contains only the keys to change. */
  readonly mergedFields: readonly string[];
  /** Fields that are stored as hashes, or returned once. */
  readonly secretFields: readonly Field[];
  readonly hasQuotas: boolean;
  /** Gaps that prevent creating a record without a value for the field. */
  readonly gapsOnCreate: readonly OpenField[];
  /** Fields of unknown type, in which no value can be stored. */
  readonly untyped: readonly OpenField[];
  /** Gaps that prevent updating a record. */
  readonly gapsOnUpdate: readonly OpenField[];
  /** `Visible` as a condition on the candidate. */
  readonly visible: Node | undefined;
  /** Returns the key of a record, which references to it store. */
  readonly identifierOf: (record: ObjectValue) => Value;
  /** Returns a record's identifier as text, with slashes between several values. */
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
    this.alwaysSet = new Set(
      this.stored.filter((field) => isAlwaysSet(context.model, resource, field)).map((field) => field.name),
    );
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

  /**
   * Normalization and validation of values that do not come from a request; most fields need none.
   */
  get forms(): ReadonlyMap<string, FieldForm> {
    this.#forms ??= planForms(this.#context, this.stored);
    return this.#forms;
  }

  /** Default values of a new record, each after the fields that it reads. */
  get defaultValues(): readonly DefaultValue[] {
    this.#defaultValues ??= planDefaultValues(this.#context, this.resource, this.identifier);
    return this.#defaultValues;
  }

  /** `on update` expressions, evaluated in order for each change. */
  get updaters(): readonly Updater[] {
    this.#updaters ??= this.attemptUpdaters.filter(({ ofAttempts }) => !ofAttempts);
    return this.#updaters;
  }

  /**
   * For `Delivery`: all `on update` expressions, including those that read an attempt's result.
   * Other changes do not evaluate those.
   */
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

  /**
   * Stored fields that clients see, directly or through computed fields. A change of other fields
   * emits no *updated* event.
   */
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

  /**
   * Fires a transition on a record; see `transition.ts`. It is a method because effects fire
   * transitions, and transitions have effects.
   */
  fire(
    evaluation: EvaluationContext,
    record: RecordValue,
    transition: string,
    body: Value,
  ): Promise<RecordValue> {
    return fireTransition(this.#context, this, evaluation, record, transition, body);
  }

  /** Returns the condition that `this` is the record with the key of the parameter `identifier`. */
  identifierEquals(): Node {
    const self = thisOf(this.name);
    const [only, ...others] = this.identifier;
    if (only === undefined) return andNodes([]);
    if (others.length > 0) return equalsNode(self, parameterNode("identifier", self.type));
    const type = expressionType(nonNull(this.fields.get(only)).type);
    return equalsNode(fieldNode(self, only, type), parameterNode("identifier", type));
  }

  /**
   * Finds the record with this key, whether or not the caller can see it; null if there is none.
   */
  find(session: Session, frame: Frame, identifier: Value): Awaitable<RecordValue | null> {
    this.#byIdentifier ??= this.#context.store.prepareRecords({
      resource: this.name,
      where: [this.identifierEquals()],
      order: [],
      includesDeleted: true,
    });
    return session.record(this.#byIdentifier, bind(frame, { identifier }));
  }

  /** Finds the record with this key if the caller can see it. */
  findVisible(session: Session, frame: Frame, identifier: Value): Awaitable<RecordValue | null> {
    this.#visibleByIdentifier ??= this.#context.store.prepareRecords({
      resource: this.name,
      where: [this.identifierEquals(), ...(this.visible ? [this.visible] : [])],
      order: [],
    });
    return session.record(this.#visibleByIdentifier, bind(frame, { identifier }));
  }
}

interface OpenField {
  /** Undefined if the field is unknown. */
  readonly field: string | undefined;
  readonly gap: Gap;
}

export interface FieldForm {
  readonly normalize?: ((value: Value) => Value) | undefined;
  readonly broken?: ValueCheck | undefined;
}

function planForms(context: PlanContext, stored: readonly Field[]): ReadonlyMap<string, FieldForm> {
  // Rules do not apply to fields of an embedded value that the service sets.
  const fieldsOf = (resource: string) =>
    context.resource(resource).stored.filter((field) => !isServiceSet(field.rules));
  return new Map(
    stored.flatMap(({ name, type, rules }) => {
      const normalize = compileToStored(type, rules, fieldsOf);
      const broken = compileValueCheck(type, rules, { fieldsOf, resource: context.reading.resource });
      return normalize || broken ? [[name, { normalize, broken }] as const] : [];
    }),
  );
}

export interface FailPlan {
  readonly code: string;
  readonly on?: string;
  readonly fails: Evaluate;
  readonly when: Expression;
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
    when: rule.when,
    position: rule.position,
  }));
}

export interface Updater {
  readonly field: string;
  readonly evaluate: Evaluate;
  /**
   * The expression reads the event, the attempt or the webhook of a delivery, which exist only
   * during an attempt.
   */
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
