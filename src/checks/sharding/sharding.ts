/**
 * Sharding analysis: how a document could be distributed over several databases with some tenants
 * each. It finds the tenant resource, the endpoints that need one tenant's records, and the rules
 * that span all tenants. The effects of handlers are unknown.
 */
import { expressionsIn } from "../../expressions/expressions-in.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { sequenceOf } from "../../expressions/special-functions.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { hasRule } from "../../fields/rule.ts";
import { createMeaning } from "../../model/meaning.ts";
import type { Does, Effect, Endpoint, Field, Model, PathRecord, Resource } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import { type Around, Reader, type Ownership } from "./reader.ts";
import { tenantsPossible, type Ways, waysTo } from "./ways.ts";
import { isChanging, isMaking } from "../../model/does.ts";

/** Something that needs records of several tenants. */
export interface Crossing {
  readonly what: string;
  /** The text of the expression that does it, if any. */
  readonly text?: string;
  readonly line: number;
}

export interface ShardedEndpoint {
  readonly method: string;
  readonly path: string;
  readonly line: number;
  /** None: it stays within one tenant. */
  readonly crossings: readonly Crossing[];
}

export interface Sharding {
  /** The resource; null where nothing could be one. */
  readonly tenant: string | null;
  /**
   * Each resource with the fields that lead to its tenant. Null: it has no tenant, and every
   * database needs all of it.
   */
  readonly resources: readonly { readonly name: string; readonly way: readonly string[] | null }[];
  readonly endpoints: readonly ShardedEndpoint[];
  /** Rules and work that span all tenants, independent of endpoints. */
  readonly overAll: readonly Crossing[];
}

/** @param tenant the resource that a tenant is; without it the one with which most endpoints stay */
export function shardingOf(model: Model, tenant?: string): Sharding {
  const possible = tenant === undefined ? tenantsPossible(model) : [tenant];
  const all = possible.map((possible) => shardedBy(possible, model));
  const [best] = all.toSorted((a, b) => staying(b) - staying(a) || tied(b) - tied(a));
  return best ?? { tenant: null, resources: [], endpoints: [], overAll: [] };
}

function staying({ endpoints }: Sharding): number {
  return endpoints.filter(({ crossings }) => crossings.length === 0).length;
}

function tied({ resources }: Sharding): number {
  return resources.filter(({ way }) => way !== null).length;
}

function shardedBy(tenant: string, model: Model): Sharding {
  const resources = model.resources.filter(({ identifier }) => identifier.kind !== "none");
  const judge = new Judge(model, waysTo(tenant, model));
  return {
    tenant,
    resources: resources.map(({ name }) => ({ name, way: judge.ways.of(name) ?? null })),
    endpoints: model.endpoints.map((endpoint) => ({
      method: endpoint.method,
      path: endpoint.path.text,
      line: endpoint.position.start.line,
      crossings: judge.endpoint(endpoint),
    })),
    overAll: [
      ...resources.flatMap((resource) => judge.invariants(resource)),
      ...judge.events(),
      ...judge.quotas(),
    ],
  };
}

const alone: Around = { self: "own", names: new Map(), locals: new Map() };
const isThis = (node: Node): boolean => node.op === "fixed" && node.name === "this";

class Judge {
  readonly ways: Ways;
  readonly #model: Model;
  readonly #meaning: Meaning;
  readonly #isolated: ReadonlySet<string>;

  constructor(model: Model, ways: Ways) {
    this.ways = ways;
    this.#model = model;
    this.#meaning = createMeaning(model);
    const reader = new Reader(ways, this.#meaning, new Set(), () => {});
    const isIsolated = ({ name, visible }: Resource) =>
      ways.of(name) !== undefined &&
      reader.isHeld(name, visible ? [visible.node] : [], isThis, { ...alone, self: "any" });
    this.#isolated = new Set(model.resources.filter(isIsolated).map(({ name }) => name));
  }

  endpoint(endpoint: Endpoint): readonly Crossing[] {
    const found: Crossing[] = [];
    let around: Around = { ...alone, self: "plain" };
    for (const record of endpoint.records) {
      const ownership = this.#pathRecord(record, around, found);
      around = { ...around, names: new Map([...around.names, [record.name, ownership]]) };
      if (record.target) around = { ...around, self: ownership };
    }
    for (const does of endpoint.does) around = { ...around, self: this.#does(does, endpoint, around, found) };
    for (const { name, value } of endpoint.lets) {
      const ownership = this.#read(value, around, found);
      around = { ...around, names: new Map([...around.names, [name, ownership]]) };
    }
    const { allowed, fails, set, effects, order, returns, headers, waits, inputs } = endpoint;
    this.#effects([...set, ...effects], around, found);
    for (const { expression } of expressionsIn([
      allowed,
      fails,
      order,
      returns,
      headers,
      waits ?? [],
      inputs,
    ]))
      this.#read(expression, around, found);
    for (const transition of transitionsOf(endpoint)) this.#transition(transition, found);
    return unrepeated(found);
  }

  /** Unique fields, sequences, rules and timed transitions of one resource. */
  invariants(resource: Resource): readonly Crossing[] {
    if (this.ways.of(resource.name) === undefined) return [];
    const found: Crossing[] = [];
    for (const { fields, position } of uniquesOf(resource))
      if (!fields.some((name) => this.#identifiesTenant(resource, name)))
        found.push(crossing(`${resource.name}: ${fields.join(", ")} is unique among all tenants`, position));
    for (const { expression } of expressionsIn([resource.fields, resource.identifier])) {
      const sequence = sequenceOf(expression.node);
      if (sequence && !(sequence.within && this.#quiet().read(sequence.within, alone) === "own"))
        found.push(
          crossing(
            `${resource.name}: numbers count across all tenants`,
            expression.position,
            expression.text,
          ),
        );
    }
    for (const invariant of resource.always) this.#read(invariant, alone, found);
    for (const { expression } of expressionsIn(resource.fields)) this.#read(expression, alone, found);
    for (const { name, ends } of resource.states?.transitions ?? [])
      if (
        ends.some(
          ({ trigger }) =>
            trigger.kind === "after" || trigger.kind === "at" || trigger.kind === "immediately",
        )
      )
        this.#transition({ resource: resource.name, transition: name }, found);
    return unrepeated(found);
  }

  /** The receivers of events. */
  events(): readonly Crossing[] {
    const { webhooks, events, notifications } = this.#model.events;
    const found: Crossing[] = [];
    const to = [webhooks, ...events.map((event) => (typeof event.to === "object" ? event.to : undefined))];
    for (const receiver of to) {
      if (!receiver?.when || this.ways.of(receiver.resource) === undefined) continue;
      const { resource, when } = receiver;
      const isReceiver = (node: Node) =>
        node.op === "named" && node.type.kind === "record" && node.type.resource === resource;
      if (!this.#quiet().isHeld(resource, [when.node], isReceiver, alone))
        found.push(
          crossing(`every ${resource} of all tenants is checked for each event`, when.position, when.text),
        );
    }
    for (const { expression } of expressionsIn([notifications, events.map(({ payload }) => payload ?? [])]))
      this.#read(expression, alone, found);
    return unrepeated(found);
  }

  quotas(): readonly Crossing[] {
    return this.#model.limits.stored
      .filter(({ resource, per }) => {
        const owner = this.#model.resources.find(({ name }) => name === resource);
        return (
          this.ways.of(resource) !== undefined &&
          !(per !== undefined && owner && this.#identifiesTenant(owner, per))
        );
      })
      .map(({ name, resource, position }) =>
        crossing(`${name}: counts every ${resource} of all tenants`, position),
      );
  }

  /**
   * Whether the value of a field identifies the tenant: it is the tenant, or a record that belongs
   * to one.
   */
  #identifiesTenant({ name, fields }: Resource, field: string): boolean {
    const type = fields.find((candidate) => candidate.name === field)?.type;
    if (type?.kind !== "reference") return false;
    return (
      this.ways.of(name)?.[0] === field ||
      this.#isolated.has(type.resource) ||
      type.resource === this.ways.tenant
    );
  }

  #pathRecord(record: PathRecord, around: Around, found: Crossing[]): Ownership {
    const { resource, where, allowed, fails, position } = record;
    if (this.ways.of(resource) === undefined) return "plain";
    // A path that names the tenant determines the database.
    if (resource === this.ways.tenant) return "own";
    if (!this.#isHeld(resource, where, around))
      found.push(
        crossing(
          `finds a ${resource} of any tenant by its identifier`,
          position,
          this.#visibleText(resource),
        ),
      );
    for (const { expression } of expressionsIn([allowed, fails]))
      this.#read(expression, { ...around, self: "own" }, found);
    return "own";
  }

  #isHeld(resource: string, where: readonly Expression[], around: Around): boolean {
    if (this.#isolated.has(resource)) return true;
    const conditions = where.map(({ node }) => node);
    return this.#quiet().isHeld(resource, conditions, isThis, { ...around, self: "any" });
  }

  #visibleText(resource: string): string | undefined {
    return this.#model.resources.find(({ name }) => name === resource)?.visible?.text;
  }

  /** What `this` is from then on. */
  #does(does: Does, endpoint: Endpoint, around: Around, found: Crossing[]): Ownership {
    if (does.kind === "handler") {
      found.push(crossing(`the handler ${does.name} may ask for anything`, does.position));
      return around.self;
    }
    if (does.kind === "stream") {
      this.#stream(endpoint, around, found);
      return "own";
    }
    if (does.kind === "answer") return around.self;
    if (this.ways.of(does.resource) === undefined) {
      if (isChanging(does)) found.push(onEach(does.resource, does.position));
      return "plain";
    }
    if (isMaking(does)) return this.#creates(does, endpoint, around, found);
    const isTarget = endpoint.records.some(({ target, resource }) => target && resource === does.resource);
    if (isTarget || (does.resource === this.ways.tenant && around.self === "own")) return "own";
    const scope = endpoint.scope;
    const isScoped = scope !== undefined && around.names.get(scope.record) === "own";
    if (!isScoped && !this.#isHeld(does.resource, endpoint.where, around))
      found.push(
        crossing(`finds ${does.resource} among all tenants`, does.position, this.#visibleText(does.resource)),
      );
    return "own";
  }

  /** A new record belongs to the tenant of its reference field. */
  #creates(
    does: Does & { resource: string },
    endpoint: Endpoint,
    around: Around,
    found: Crossing[],
  ): Ownership {
    const [field] = this.ways.of(does.resource) ?? [];
    const owner = this.#model.resources.find(({ name }) => name === does.resource);
    const own = field === undefined ? undefined : owner?.fields.find(({ name }) => name === field);
    if (!own) {
      found.push(crossing(`makes a ${does.resource}, which no database has yet`, does.position));
      return "own";
    }
    if (!this.#isSetOwn(own, endpoint, around))
      found.push(crossing(`makes a ${does.resource} of whichever ${own.name} is named`, does.position));
    return "own";
  }

  #isSetOwn({ name, rules, type }: Field, endpoint: Endpoint, around: Around): boolean {
    const { scope, set, inputs } = endpoint;
    if (scope?.field === name && around.names.get(scope.record) === "own") return true;
    const values = [
      ...rules.flatMap((rule) => (rule.rule === "on create" ? [rule.value] : [])),
      ...set.flatMap((effect) =>
        effect.kind === "assign" && effect.field === name && !effect.of ? [effect.value] : [],
      ),
    ];
    if (values.length > 0) return values.some(({ node }) => this.#quiet().read(node, around) === "own");
    const isSent = inputs.some((input) => input.sets === name || input.name.at(-1) === name);
    return isSent && type.kind === "reference" && this.#isolated.has(type.resource);
  }

  #stream({ stream }: Endpoint, around: Around, found: Crossing[]): void {
    for (const { when, events, position } of stream?.sends ?? []) {
      const isHeld =
        when &&
        this.#quiet().isHeld(this.ways.tenant, [when.node], (node) => isThis(node), {
          ...around,
          self: "any",
        });
      if (!isHeld) found.push(crossing(`sends ${events.join(", ")} of all tenants`, position, when?.text));
    }
  }

  #transition({ resource, transition }: DoneTransition, found: Crossing[]): void {
    const of = this.#model.resources.find(({ name }) => name === resource);
    if (this.ways.of(resource) === undefined) return;
    for (const { ends } of of?.states?.transitions.filter(({ name }) => name === transition) ?? [])
      for (const { guard, effects } of ends) {
        if (guard) this.#read(guard.condition, alone, found);
        this.#effects(effects, alone, found);
      }
  }

  #effects(effects: readonly Effect[], around: Around, found: Crossing[]): void {
    for (const effect of effects) {
      if (effect.kind !== "send" && this.#isNobodys(effect.resource))
        found.push(onEach(effect.resource, effect.position));
      if ("where" in effect && this.ways.of(effect.resource) !== undefined) {
        const { where, resource, position } = effect;
        if (!this.#quiet().isHeld(resource, [where.node], isThis, { ...around, self: "any" }))
          found.push(crossing(`${effect.kind}s ${resource} of all tenants`, position, where.text));
      }
      for (const { expression } of expressionsIn(effect)) this.#read(expression, around, found);
    }
  }

  #isNobodys(resource: string): boolean {
    return (
      this.#model.resources.some(({ name, identifier }) => name === resource && identifier.kind !== "none") &&
      this.ways.of(resource) === undefined
    );
  }

  #quiet(): Reader {
    return new Reader(this.ways, this.#meaning, this.#isolated, () => {});
  }

  #read({ node, text, position }: Expression, around: Around, found: Crossing[]): Ownership {
    const reader = new Reader(this.ways, this.#meaning, this.#isolated, (resource, how) => {
      const what = {
        all: `scans every ${resource} of all tenants`,
        "led to": `follows a reference to a ${resource}, which may be another tenant's`,
        "by identifier": `finds a ${resource} of any tenant by its identifier`,
      }[how];
      found.push(crossing(what, position, text));
    });
    return reader.read(node, around);
  }
}

/** A resource without a tenant exists on every database. */
function onEach(resource: string, position: Position): Crossing {
  return crossing(`changes a ${resource}, which belongs to no tenant`, position);
}

interface DoneTransition {
  readonly resource: string;
  readonly transition: string;
}

function transitionsOf({ does, then }: Endpoint): readonly DoneTransition[] {
  return does.flatMap((action) => {
    if (!("resource" in action)) return [];
    const own =
      action.kind === "transition" ? [{ resource: action.resource, transition: action.transition }] : [];
    return [...own, ...then.map(({ transition }) => ({ resource: action.resource, transition }))];
  });
}

/** All that is unique; what is made at random is so by chance alone. */
function uniquesOf({ unique, fields, identifier, position }: Resource): Resource["unique"] {
  const given = identifier.kind === "given" ? [{ fields: [identifier.field], position }] : [];
  const single = fields
    .filter(({ rules }) => hasRule(rules, "unique"))
    .map((field) => ({ fields: [field.name], position: field.position }));
  return [...given, ...unique, ...single];
}

function crossing(what: string, position: Position, text?: string): Crossing {
  return { what, line: position.start.line, ...(text === undefined ? {} : { text }) };
}

function unrepeated(found: readonly Crossing[]): readonly Crossing[] {
  return [...new Map(found.map((crossing) => [JSON.stringify(crossing), crossing])).values()];
}
