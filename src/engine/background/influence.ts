/**
 * Influence of a change: what it reads and writes besides its own record, derived from the model
 * alone. This covers effects and the transitions that these start, `immediately`, invariants,
 * quotas, uniqueness, deletion and events. It may include too much, never too little. `units.ts`
 * (timed transitions) and `endpoint-scope.ts` (requests) use it. A request about one record then waits only
 * for that record's due transitions, and clients can't observe the difference.
 * `test/durability/due/reach.test.ts` compares it with real effects.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { types } from "../../expressions/type.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { hasRule, ruleOf } from "../../fields/rule.ts";
import { callerResourcesOf } from "../../model/authentication/caller-type.ts";
import { deliveryResourceOf } from "../../model/events/delivery-retention.ts";
import type { Effect, Model, Resource } from "../../model/model.ts";
import { referencePlaces } from "../../model/resources/reference-places.ts";
import { resourcesRead } from "../../expressions/analysis/reads.ts";
import { addReach, createReach, type Reach, type EvaluationPoint } from "./reach.ts";

export interface Influence {
  readonly reach: Reach;
  /** Resources whose records, other than the current one, may be created, changed or deleted. */
  readonly changed: ReadonlySet<string>;
  /** Resources whose records may be deleted, including the current one. */
  readonly removed: ReadonlySet<string>;
  /** Resources whose unique keys are read. */
  readonly keyed: ReadonlySet<string>;
  /** Fields that may be set, `Resource.field`. */
  readonly assigned: ReadonlySet<string>;
}

/** Any record of a resource, without a current one. */
const anyRecord: EvaluationPoint = { isThisAtHand: false, names: new Set() };

/** A record that an effect creates. */
const newRecord: EvaluationPoint = { isThisAtHand: false, isThisNew: true, names: new Set() };

export class InfluenceCollector implements Influence {
  readonly reach = createReach();
  readonly changed = new Set<string>();
  readonly removed = new Set<string>();
  readonly keyed = new Set<string>();
  readonly assigned = new Set<string>();
  readonly #model: Model;
  readonly #meaning: Meaning;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #seen = new Map<string, Set<EvaluationPoint>>();

  constructor(model: Model, meaning: Meaning) {
    this.#model = model;
    this.#meaning = meaning;
    this.#resources = new Map(model.resources.map((resource) => [resource.name, resource]));
  }

  reads(expression: Expression | Node | undefined, at: EvaluationPoint): void {
    if (!expression) return;
    addReach(this.reach, "node" in expression ? expression.node : expression, this.#meaning, at);
  }

  /** Adds a change of a record: the current record, or any other of its resource. */
  changes(resource: string, at: EvaluationPoint, isOther: boolean): void {
    if (isOther) this.changed.add(resource);
    const found = this.#resources.get(resource);
    if (!found || !this.#isNew(`change ${resource}`, at)) return;
    for (const rule of found.fails) this.reads(rule.when, at);
    for (const rule of found.always) this.reads(rule, at);
    if (found.states?.field !== undefined) this.assigned.add(`${resource}.${found.states.field}`);
    for (const field of found.fields) {
      const onUpdate = ruleOf(field.rules, "on update");
      if (!onUpdate) continue;
      this.sets(resource, field.name);
      this.reads(onUpdate.value, at);
    }
    for (const quota of this.#model.limits.stored) {
      if (quota.resource !== resource || !quota.where) continue;
      this.reach.whole.add(resource);
      this.reads(quota.where, anyRecord);
    }
    this.#immediately(found, at);
    this.#reports(at, (trigger) => "resource" in trigger && trigger.resource === resource);
  }

  /** Adds an assignment to a field, possibly of the current record. */
  sets(resource: string, field: string): void {
    this.assigned.add(`${resource}.${field}`);
    const found = this.#resources.get(resource);
    if (found && uniqueFields(found).has(field)) this.keyed.add(resource);
  }

  /** Adds the creation of a record. */
  makes(resource: string, at: EvaluationPoint): void {
    this.changes(resource, at, true);
    const found = this.#resources.get(resource);
    if (!found || !this.#isNew(`make ${resource}`, at)) return;
    if (uniqueFields(found).size > 0) this.keyed.add(resource);
    if (found.identifier.kind === "made" && found.identifier.by) this.reads(found.identifier.by, at);
    this.reads(found.states?.initial, at);
    for (const field of found.fields)
      for (const name of ["default", "on create"] as const) this.reads(ruleOf(field.rules, name)?.value, at);
    for (const quota of this.#model.limits.stored) {
      if (quota.resource !== resource) continue;
      this.reach.whole.add(resource);
      this.reads(quota.where, anyRecord);
    }
  }

  /** Adds the deletion of a record, with `on delete` of the records that refer to it. */
  removes(resource: string, at: EvaluationPoint, isOther: boolean): void {
    this.removed.add(resource);
    this.changes(resource, at, isOther);
    if (!this.#isNew(`remove ${resource}`, at)) return;
    for (const place of referencePlaces(this.#model)) {
      if (place.to !== resource) continue;
      this.reach.whole.add(place.resource);
      if (place.onDelete === "cascade") this.removes(place.resource, anyRecord, true);
      if (place.onDelete !== "clear") continue;
      this.sets(place.resource, place.field);
      this.changes(place.resource, anyRecord, true);
    }
  }

  /** Adds a transition: any of its ends, or the given ones. */
  takes(resource: string, name: string, at: EvaluationPoint, isOther: boolean): void {
    this.changes(resource, at, isOther);
    if (!this.#isNew(`take ${resource}.${name}`, at)) return;
    const transition = this.#resources
      .get(resource)
      ?.states?.transitions.find((candidate) => candidate.name === name);
    for (const end of transition?.ends ?? []) {
      this.reads(end.guard?.condition, at);
      this.runs(end.effects, at);
    }
  }

  runs(effects: readonly Effect[], at: EvaluationPoint): void {
    for (const effect of effects) this.#runs(effect, at);
  }

  #runs(effect: Effect, at: EvaluationPoint): void {
    this.reads(effect.when, at);
    switch (effect.kind) {
      case "assign": {
        const { of, field } = effect;
        this.reads(effect.value, at);
        this.sets(effect.resource, field);
        if (!of) return;
        this.reads({ op: "field", of: of.node, name: field, type: types.any }, at);
        this.changes(effect.resource, anyRecord, true);
        return;
      }
      case "create":
        this.reads(effect.for?.list, at);
        this.reads(effect.for?.when, at);
        for (const { value } of effect.fields) this.reads(value, at);
        this.makes(effect.resource, newRecord);
        if (effect.upsert) {
          this.reach.whole.add(effect.resource);
          for (const { field } of effect.fields) this.sets(effect.resource, field);
          this.changes(effect.resource, anyRecord, true);
        }
        return;
      case "update":
        this.#finds(effect.resource, effect.where, at);
        for (const { field, value } of effect.set) {
          this.sets(effect.resource, field);
          this.reads(value, ofCandidate(at));
        }
        this.changes(effect.resource, anyRecord, true);
        return;
      case "delete":
        this.#finds(effect.resource, effect.where, at);
        this.removes(effect.resource, anyRecord, true);
        return;
      case "do":
        this.#finds(effect.resource, effect.where, at);
        this.reads(effect.first, at);
        for (const key of effect.by) this.reads(key.by, ofCandidate(at));
        for (const { value } of effect.with) this.reads(value, ofCandidate(at));
        this.takes(effect.resource, effect.transition, anyRecord, true);
        return;
      case "send":
        this.#reports(at, (trigger, event) => trigger.kind === "sent" && event === effect.event);
    }
  }

  #finds(resource: string, where: Expression, at: EvaluationPoint): void {
    this.reach.whole.add(resource);
    this.reads(where, ofCandidate(at));
  }

  /**
   * Adds `immediately` transitions: of the changed record, and of all records whose guard reads its
   * resource.
   */
  #immediately(changed: Resource, at: EvaluationPoint): void {
    for (const resource of this.#model.resources)
      for (const transition of resource.states?.transitions ?? [])
        for (const end of transition.ends) {
          if (end.trigger.kind !== "immediately") continue;
          const guard = end.guard?.condition.node;
          if (guard && resourcesRead(guard, this.#meaning).has(changed.name)) {
            this.reach.whole.add(resource.name);
            this.takes(resource.name, transition.name, anyRecord, true);
          }
          if (resource === changed) this.takes(resource.name, transition.name, at, false);
        }
  }

  /**
   * Adds the events of a change: their payloads, the records that the log creates for them, and
   * their receivers.
   */
  #reports(
    at: EvaluationPoint,
    isAbout: (trigger: Model["events"]["events"][number]["triggers"][number], event: string) => boolean,
  ): void {
    const { events, webhooks, notifications, log } = this.#model.events;
    let any = false;
    for (const row of events) {
      const triggers = row.triggers.filter((trigger) => isAbout(trigger, row.name));
      if (triggers.length === 0) continue;
      any = true;
      for (const trigger of triggers) this.reads(trigger.when, at);
      this.reads(row.payload, at);
      if (row.to !== undefined && row.to !== "none") {
        this.reach.whole.add(row.to.resource);
        this.reads(row.to.when, ofCandidate(at));
      }
    }
    if (!any) return;
    if (webhooks) {
      this.reach.whole.add(webhooks.resource);
      this.reads(webhooks.when, at);
    }
    for (const notification of notifications)
      for (const part of [notification.to, notification.when, notification.subject, notification.text])
        this.reads(part, at);
    if (log?.as !== undefined) this.makes(log.as, newRecord);
    const deliveries = deliveryResourceOf(this.#model);
    if (deliveries !== undefined) this.makes(deliveries, newRecord);
    // A receiver gets the event in the version to which its caller is pinned, which may be any
    // version.
    const { default: standard, versions } = this.#model.versioning;
    const isPinned = typeof standard === "object" && "pinned" in standard;
    if (!isPinned) return;
    for (const callerResource of callerResourcesOf(this.#model.authentication.schemes))
      this.reach.whole.add(callerResource);
    for (const { expression } of expressionsIn([standard, versions])) this.reads(expression, anyRecord);
  }

  #isNew(key: string, at: EvaluationPoint): boolean {
    let known = this.#seen.get(key);
    if (!known) {
      known = new Set();
      this.#seen.set(key, known);
    }
    if (known.has(at)) return false;
    known.add(at);
    return true;
  }
}

const candidates = new WeakMap<EvaluationPoint, EvaluationPoint>();

/**
 * The standpoint in which `this` is each candidate in turn, and all other names keep their outer
 * values.
 */
function ofCandidate(at: EvaluationPoint): EvaluationPoint {
  if (!at.isThisAtHand && !at.isThisNew) return at;
  let inner = candidates.get(at);
  if (!inner) {
    inner = { ...at, isThisAtHand: false, isThisNew: false };
    candidates.set(at, inner);
  }
  return inner;
}

/** Fields of which no two records may have the same values, if the caller can observe them. */
function uniqueFields(resource: Resource): ReadonlySet<string> {
  const { identifier } = resource;
  return new Set([
    ...resource.fields.filter((field) => hasRule(field.rules, "unique")).map((field) => field.name),
    ...resource.unique.flatMap((item) => item.fields),
    ...(identifier.kind === "given" ? [identifier.field] : []),
    ...(identifier.kind === "joint" ? identifier.fields : []),
  ]);
}
