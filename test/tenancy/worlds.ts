/**
 * Worlds: two callers of one document, A and B, each with a record of every resource. All worlds
 * respond alike to the last byte. They have one stored state, one clock, and randomness that
 * restarts with every request.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createGivenRecords, type GivenStep } from "../../src/engine/given.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { createService, type Service } from "../../src/engine/service.ts";
import type { RecordValue } from "../../src/expressions/value.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Field, Model, Resource } from "../../src/model/model.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { openStore } from "../../src/store/index.ts";
import type { Store, StoreSnapshot } from "../../src/store/store.ts";
import { celOf, type Side, valueFor } from "./values.ts";

/** A caller and the caller's records. */
export interface Realm extends Side {
  readonly letter: string;
  /** The last record that was created, by resource. */
  readonly records: Map<string, { readonly record: RecordValue; readonly identifier: string | number }[]>;
  /** Texts that only the caller itself may ever see. */
  readonly secrets: { readonly resource: string; readonly text: string }[];
}

export interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export interface World {
  send(sent: Sent): Promise<Answered>;
  close(): Promise<void>;
}

/**
 * Time between requests in milliseconds. It is long enough to stay below all rate limits, and short
 * enough that nothing becomes due.
 */
const betweenRequestsMs = 1000;
const startMs = Date.parse("2030-01-01T00:00:00.000Z");

/** Values whose use only the author of a document can determine, as `Resource.field` to CEL. */
export type Written = Readonly<Record<string, string>>;

export interface Tenants {
  readonly a: Realm;
  readonly b: Realm;
  /** Resources without a record of B, with the reason. */
  readonly unmade: readonly string[];
  /** Resources whose record of B is hidden from A. In some documents the record is public. */
  readonly hidden: ReadonlySet<string>;
  /** Creates the world with both callers. */
  both(): Promise<World>;
  /** Creates the same world with A alone. */
  alone(): Promise<World>;
  /** The initial store with both callers. */
  readonly begins: StoreSnapshot;
}

export async function createTenants(model: Model, written: Written): Promise<Tenants> {
  const a = createRealm("a", "apparent");
  const b = createRealm("b", "hidden");
  const unmade: string[] = [];
  const first = await openWorld(model);
  for (const step of stepsOf(model)) await makeStep({ model, written, world: first, realm: a, unmade }, step);
  const alone = await snapshotOf(first.store);
  await first.close();
  const second = await openWorld(model, alone);
  for (const step of stepsOf(model))
    await makeStep({ model, written, world: second, realm: b, unmade }, step);
  const hidden = await hiddenFrom(model, a, b, second);
  const both = await snapshotOf(second.store);
  await second.close();
  return {
    a,
    b,
    unmade,
    hidden,
    both: () => openWorld(model, both),
    alone: () => openWorld(model, alone),
    begins: both,
  };
}

async function hiddenFrom(model: Model, a: Realm, b: Realm, world: OpenWorld): Promise<ReadonlySet<string>> {
  const [scheme] = model.authentication.schemes;
  const name = scheme?.credentials?.resource ?? "";
  const refers = resourceOf(model, name)?.fields.find(
    (field) => field.name === scheme?.credentials?.for,
  )?.type;
  const caller = a.records.get(refers?.kind === "reference" ? refers.resource : name)?.at(-1)?.record ?? null;
  const hidden = new Set<string>();
  for (const resource of model.resources.filter((resource) => resource.visible)) {
    const { context, newFrame } = world.service.internals;
    const frame = newFrame(startMs);
    const theirs = b.records.get(resource.name)?.at(-1);
    if (!theirs) continue;
    frame.caller = caller;
    const plan = context.resource(resource.name);
    const found = await plan.findVisible(world.store.session, frame, plan.identifierOf(theirs.record));
    if (!found) hidden.add(resource.name);
  }
  return hidden;
}

function resourceOf(model: Model, name: string): Resource | undefined {
  return model.resources.find((resource) => resource.name === name);
}

async function snapshotOf(store: Store): Promise<StoreSnapshot> {
  assert.ok(store.snapshot, "the store can be copied");
  return store.snapshot();
}

interface OpenWorld extends World {
  readonly store: Store;
  readonly service: Service;
  /** Restarts the random bytes from this text. */
  beginAnew(text: string): void;
  /** Records by the names of their `Given` items. */
  readonly names: Map<string, { readonly resource: string; readonly record: RecordValue }>;
}

async function openWorld(model: Model, begins?: StoreSnapshot): Promise<OpenWorld> {
  const store = await openStore(model, meaningOf(model), {
    path: ":memory:",
    ...(begins ? { initialContent: begins } : {}),
  });
  const clock = createMovableClock(startMs);
  const chance = createChance();
  const ports = { clock, log: silentLog, randomBytes: chance.bytes };
  const service = await createService(model, {
    store,
    ports,
    origin: () => "http://localhost",
    planLate: true,
  });
  return {
    store,
    service,
    names: new Map(),
    beginAnew: chance.beginAnew,
    async send({ body, ...sent }) {
      clock.moveBy(betweenRequestsMs);
      chance.beginAnew(`${sent.method} ${clock.now()}`);
      const answer = await service.fetch(createRequest({ ...sent, ...(body === undefined ? {} : { body }) }));
      const text = typeof answer.body === "string" ? answer.body : "";
      return { status: answer.status, headers: answer.headers, body: text };
    },
    async close() {
      await service.close();
      await store.close();
    },
  };
}

/** Creates random bytes that depend on a text. */
function createChance(): { bytes(count: number): Uint8Array; beginAnew(text: string): void } {
  let from = "start";
  let drawn = 0;
  return {
    bytes(count) {
      const pieces: Buffer[] = [];
      for (let length = 0; length < count; length += 32) {
        drawn += 1;
        pieces.push(createHash("sha256").update(`${from} ${drawn}`).digest());
      }
      return Buffer.concat(pieces).subarray(0, count);
    },
    beginAnew(text) {
      from = text;
      drawn = 0;
    },
  };
}

export function createRealm(letter: string, word: string): Realm {
  const records: Realm["records"] = new Map();
  return {
    letter,
    word,
    count: letter === "a" ? 7000 : 8000,
    records,
    secrets: [],
    reference: (resource) => records.get(resource)?.at(-1)?.identifier,
  };
}

// ── Records ─────────────────────────────────────────────────────────────────────────────────────

interface Step {
  readonly resource: Resource;
  readonly number: number;
}

/** Returns two steps for each resource; a resource precedes those that refer to it. */
export function stepsOf(model: Model): readonly Step[] {
  const tables = model.resources.filter((resource) => resource.identifier.kind !== "none" && !resource.gap);
  const ordered: Resource[] = [];
  const targetsOf = (resource: Resource, needed: boolean) =>
    resource.fields.flatMap((field) => {
      if (isWorkedOut(field) || field.type.kind !== "reference") return [];
      const { resource: name } = field.type;
      const isNeeded = field.rules.some(({ rule }) => rule === "required");
      return isNeeded === needed ? tables.filter((table) => table.name === name) : [];
    });
  const needs = (resource: Resource, other: Resource, seen = new Set<Resource>()): boolean => {
    if (resource === other) return true;
    if (seen.has(resource)) return false;
    seen.add(resource);
    return targetsOf(resource, true).some((target) => needs(target, other, seen));
  };
  const visit = (resource: Resource, above: readonly Resource[]) => {
    if (ordered.includes(resource) || above.includes(resource)) return;
    const path = [...above, resource];
    for (const target of targetsOf(resource, true)) visit(target, path);
    // A resource with an optional reference waits for its target, unless the target waits for it.
    for (const target of targetsOf(resource, false))
      if (!path.some((resource) => needs(target, resource))) visit(target, path);
    ordered.push(resource);
  };
  for (const resource of tables) visit(resource, []);
  const callers = callerResources(model);
  return ordered.flatMap((resource) =>
    (callers.has(resource.name) ? [1] : [1, 2]).map((number) => ({ resource, number })),
  );
}

/**
 * Returns the resources of callers and of the records that they refer to. Each side has one of
 * each, so that all its records have one owner.
 */
function callerResources(model: Model): ReadonlySet<string> {
  const found = new Set(model.authentication.schemes.flatMap((scheme) => scheme.credentials?.resource ?? []));
  for (const name of found)
    for (const field of model.resources.find((resource) => resource.name === name)?.fields ?? [])
      if (field.type.kind === "reference" && !isWorkedOut(field)) found.add(field.type.resource);
  return found;
}

function isWorkedOut(field: Field): boolean {
  return field.rules.some(({ rule }) => rule === "computed");
}

/**
 * Writes the `Given` item of a record, with fields in the order of the table. The service sets the
 * fields in `left`.
 */
function givenText({ model, realm, written }: Making, { resource }: Step, left: ReadonlySet<string>): string {
  const parts = resource.fields.flatMap((field) => {
    if (isWorkedOut(field) || field.role === "state" || left.has(field.name)) return [];
    if (resource.identifier.kind === "made" && field.role === "identifier") return [];
    const own = written[`${resource.name}.${field.name}`];
    if (own !== undefined) return [`${field.name} = ${own}`];
    if (field.type.kind === "reference") {
      const made = realm.records.get(field.type.resource)?.length ?? 0;
      return made === 0 ? [] : [`${field.name} = ${nameOf(realm, field.type.resource, made)}`];
    }
    if (field.type.kind === "list" && field.type.of.kind === "reference") return [];
    const value =
      field.type.kind === "credential" || field.type.kind === "password"
        ? secretOf(realm)
        : (valueFor(field.type, field.rules, realm, model) ??
          (field.role === "identifier" ? `${realm.word}1` : undefined));
    if (value === undefined) return [];
    if (resource.visible) noteSecrets(realm, resource.name, value);
    return [`${field.name} = ${celOf(value, field.type)}`];
  });
  return parts.join(", ");
}

/** Returns the secret with which a caller signs in. The store has only its hash. */
export function secretOf(realm: Realm): string {
  return `${realm.word}-credential-0123456789`;
}

function noteSecrets(realm: Realm, resource: string, value: unknown): void {
  if (typeof value === "string" && value.includes(realm.word)) realm.secrets.push({ resource, text: value });
  else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) noteSecrets(realm, resource, part);
}

function nameOf(realm: Realm, resource: string, number: number): string {
  return `${realm.letter}${resource}${number}`;
}

interface Making {
  readonly model: Model;
  readonly written: Written;
  readonly world: Pick<OpenWorld, "service" | "names" | "beginAnew">;
  readonly realm: Realm;
  readonly unmade: string[];
  /** The items that created the records, in order, for worlds with the same initial state. */
  readonly made?: string[];
}

export async function makeStep(making: Making, step: Step): Promise<void> {
  const { world, realm } = making;
  const { names } = world;
  const { name } = step.resource;
  // Fields that the service sets itself may be given. If that breaks a rule, the service sets them.
  const serviceSet = step.resource.fields.filter((field) =>
    field.rules.some(({ rule }) => rule === "on create" || rule === "read-only" || rule === "on update"),
  );
  const leftOut = serviceSet.filter((field) => field.type.kind !== "reference").map((field) => field.name);
  let refused = "";
  const chance = making.made ? `given ${making.made.length}` : `${realm.word} ${name} ${step.number}`;
  for (const left of [new Set<string>(), new Set(leftOut)]) {
    world.beginAnew(chance);
    const text = `- Given: \`${name} with ${givenText(making, step, left)} as ${nameOf(realm, name, step.number)}\``;
    const known = new Map([...names].map(([as, { resource }]) => [as, resource]));
    const { steps, diagnostics } = readGivenItems(making.model, "given.md", text, known);
    refused = `${name}: ${diagnostics.map((diagnostic) => diagnostic.message).join(" ")} in ${text}`;
    if (steps.length === 0) continue;
    try {
      const [made] = await createGivenRecords(world.service, steps as readonly GivenStep[], { names });
      assert.ok(made);
      making.made?.push(text);
      const identifier = made.identifier as string | number;
      realm.records.set(name, [...(realm.records.get(name) ?? []), { record: made.record, identifier }]);
      if (step.resource.visible && typeof identifier === "string")
        realm.secrets.push({ resource: name, text: identifier });
      return;
    } catch (error) {
      refused = `${name}: ${(error as Error).message} in ${text}`;
    }
  }
  making.unmade.push(refused);
}
