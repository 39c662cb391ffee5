/**
 * Tenancy (part 2, `Visible`): for a request, a record that is not visible does not exist. For each
 * document with `Visible`, B's records have marked texts, and A calls every endpoint in every way
 * of naming them. Each response must equal, byte for byte, the response for a missing record and
 * the response without B. If A names nothing, the response must be the one of a world in which B
 * has nothing.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, describe, test } from "node:test";
import { compile } from "../../src/compile.ts";
import type { Endpoint, Model, Scheme } from "../../src/model/model.ts";
import {
  asCommand,
  type Requesting,
  requestFor,
  resourceNamed,
  type Slot,
  slotsOf,
  together,
} from "./requests.ts";
import { lookalike } from "./values.ts";
import {
  type Answered,
  createTenants,
  type Realm,
  type Sent,
  type Tenants,
  type World,
  type Written,
} from "./worlds.ts";
import { sqliteAlone } from "../sqlite-alone.ts";

const root = join(import.meta.dirname, "..", "..");
const folders = ["examples", "examples/twins", "test/documents", "test/contracts"];

/**
 * The use of fields beyond their types, as CEL, and the fields that a path names only in a `Where`.
 */
const written: Readonly<Record<string, Written>> = {
  "stripe.md": { "Charge.amount_captured": "2", "Charge.amount_refunded": "1" },
  "replicate.md": { "Model.visibility": '"private"', "{owner}": "Account.username", "{name}": "Model.name" },
  "github.md": {
    "{owner}": "User.login",
    "{repo}": "Repository.name",
    "{issue_number}": "Issue.number",
    "{name}": "Label.name",
  },
  "telephony.md": { "{AccountSid}": "Account.sid" },
  "parcel-desk.md": { "ApiKey.scopes": '["read", "write"]' },
};

/**
 * What a document itself reveals across callers, each with its reason: `Resource.field` for values
 * that are unique among all callers, a method and a path for responses whose expressions read the
 * records of all callers.
 */
const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "tenants.md": {
    "POST /sweep": "an effect and a count over the documents of all firms: effects and expressions see all",
  },
};

const files = folders
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
  .filter((file) => file.endsWith(".md") && !file.endsWith(".seed.md"))
  .toSorted();

const snapshots = sqliteAlone("each request runs on snapshots of one store, and PostgreSQL gives none");

for (const file of files) {
  const { model } = compile(readFileSync(file, "utf8"), { file: basename(file) });
  if (!model?.resources.some((resource) => resource.visible)) continue;
  const scheme = model.authentication.schemes.find(isUsable);
  if (!scheme) continue;
  describe(`${file.slice(root.length + 1)}: records that are not A's`, snapshots, async () => {
    const tenants = await createTenants(model, written[basename(file)] ?? {});
    const trial = new Trial(model, tenants, scheme, file);
    test("B has a record of every resource with Visible, hidden from A", () => {
      const named = model.resources.filter((resource) => resource.visible).map((resource) => resource.name);
      const missing = named.filter((name) => !tenants.hidden.has(name) || !tenants.a.records.has(name));
      assert.deepEqual(file.includes("twins") ? [] : missing, [], tenants.unmade.join("\n"));
    });
    for (const endpoint of model.endpoints.filter(isAnswered)) {
      test(`${endpoint.method} ${endpoint.path.text} reveals nothing`, () => trial.ofEndpoint(endpoint));
    }
    after(() => trial.close());
    test("every exception in `known` occurs, and nothing else is revealed", () => {
      assert.deepEqual([...trial.seen].toSorted(), Object.keys(known[basename(file)] ?? {}).toSorted());
    });
  });
}

function isUsable({ placement, credentials, signature, gap }: Scheme): boolean {
  return !!placement && !!credentials && credentials.fromClaim === undefined && !signature && !gap;
}

/** Whether this test covers the endpoint. Streams and held responses have their own tests. */
function isAnswered(endpoint: Endpoint): boolean {
  return (
    !endpoint.gap &&
    !endpoint.waits &&
    endpoint.does.every(({ kind }) => kind !== "stream" && kind !== "handler")
  );
}

const changed = ", changed";

/** The world of each kind of request. */
const opened = { theirs: "both", nobodys: "both", owner: "both", both: "both", alone: "alone" } as const;

interface Pair {
  readonly sent: Sent;
  readonly answered: Answered;
}

class Trial {
  /** The entries of `known` that occurred. */
  readonly seen = new Set<string>();
  readonly #model: Model;
  readonly #tenants: Tenants;
  readonly #scheme: Scheme;
  readonly #file: string;
  readonly #written: Written;

  /**
   * Whether a failed setup fails the test. Twins follow other services, so their endpoints are
   * skipped if a request cannot be written.
   */
  readonly #strict: boolean;

  constructor(model: Model, tenants: Tenants, scheme: Scheme, path: string) {
    const file = basename(path);
    this.#strict = !path.includes("twins");
    this.#model = model;
    this.#tenants = tenants;
    this.#scheme = scheme;
    this.#file = file;
    this.#written = written[file] ?? {};
  }

  async ofEndpoint(endpoint: Endpoint): Promise<void> {
    try {
      const slots = slotsOf(this.#model, endpoint, this.#written);
      const { hidden } = this.#tenants;
      for (const slot of slots) if (hidden.has(slot.resource)) await this.#ofSlot(endpoint, slot);
      if (slots.some(({ kind }) => kind === "path")) await this.#expectOwner(endpoint);
      await this.#ofKey(endpoint);
      await this.#ofPresence(endpoint);
    } finally {
      await this.close((name) => name.endsWith(changed));
    }
  }

  async close(which: (name: string) => boolean = () => true): Promise<void> {
    for (const [name, world] of this.#worlds) {
      if (!which(name)) continue;
      this.#worlds.delete(name);
      await world.close();
    }
  }

  /**
   * The worlds are kept alike: each gets the same requests, except for the names in the slot. They
   * stay alike as long as A receives nothing of B's. Worlds that were only read serve the next
   * endpoint too.
   */
  readonly #worlds = new Map<string, World>();

  async #in(name: keyof typeof opened, sent: Sent): Promise<Pair> {
    const key = sent.method === "GET" ? name : name + changed;
    const world = this.#worlds.get(key) ?? (await this.#tenants[opened[name]]());
    this.#worlds.set(key, world);
    return { sent, answered: await world.send(sent) };
  }

  #requesting(endpoint: Endpoint, more: Partial<Requesting> = {}): Requesting {
    const usable = this.#model.authentication.schemes.filter(isUsable);
    const scheme = usable.find((scheme) => endpoint.schemes?.includes(scheme.name)) ?? this.#scheme;
    return { model: this.#model, endpoint, realm: this.#tenants.a, scheme, written: this.#written, ...more };
  }

  /**
   * Compares what A receives about a record of B with what A receives about a similar record that
   * does not exist.
   */
  async #ofSlot(endpoint: Endpoint, slot: Slot): Promise<void> {
    const value =
      slot.kind === "cursor" ? await this.#cursorOfB(endpoint, slot) : namedValue(this.#tenants.b, slot);
    if (value === undefined) return;
    const other = slot.field === together ? lookalikeTogether(String(value)) : lookalike(value);
    const tags = slot.kind === "path" ? await this.#tagsOfB(endpoint) : [];
    for (const headers of [[], ...tags]) {
      for (const full of [false, true]) {
        const request = (named: string | number) =>
          requestFor(this.#requesting(endpoint, { full, headers, filled: { slot, value: named } }));
        const theirs = await this.#in("theirs", request(value));
        const nobodys = await this.#in("nobodys", request(other));
        this.#expectSilence(theirs, [value]);
        const expected = sameText(nobodys.answered);
        if (expected === sameText(theirs.answered) || expected === sameText(theirs.answered, value, other))
          continue;
        if (slot.kind === "unique" && this.#isKnown(`${slot.resource}.${slot.field}`)) {
          await this.close((name) => name.endsWith(changed));
          continue;
        }
        assert.fail(
          `A receives something of B's ${slot.resource}.${slot.field} in ${slot.kind} ${slot.name}:\n` +
            `${reportOf(theirs)}\nand of one that isn't there:\n${reportOf(nobodys)}`,
        );
      }
    }
  }

  /** Expects that B is served where A is not. Otherwise the comparison would prove nothing. */
  async #expectOwner(endpoint: Endpoint): Promise<void> {
    const own = await this.#in(
      "owner",
      requestFor(this.#requesting(endpoint, { realm: this.#tenants.b, full: true })),
    );
    if (!this.#strict) return;
    assert.notEqual(own.answered.status, 404, `B isn't served either:\n${reportOf(own)}`);
    assert.notEqual(own.answered.status, 401, `B isn't known:\n${reportOf(own)}`);
  }

  /** Expects that an idempotency key belongs to its caller. */
  async #ofKey(endpoint: Endpoint): Promise<void> {
    if (!endpoint.idempotency) return;
    const request = (realm: Realm, key: string) => requestFor(this.#requesting(endpoint, { realm, key }));
    const afterB = async (key: string): Promise<Pair> => {
      const world = await this.#tenants.both();
      try {
        await world.send(request(this.#tenants.b, "key-of-b"));
        return {
          sent: request(this.#tenants.a, key),
          answered: await world.send(request(this.#tenants.a, key)),
        };
      } finally {
        await world.close();
      }
    };
    const [used, unused] = [await afterB("key-of-b"), await afterB("key-of-n")];
    this.#expectSilence(used, []);
    const reported = sameText(used.answered, "key-of-b", "key-of-n");
    assert.equal(reported, sameText(unused.answered), `B's key is taken:\n${reportOf(used)}`);
  }

  /** Compares the responses with and without B's records, if A names nothing of B's. */
  async #ofPresence(endpoint: Endpoint): Promise<void> {
    const expanded = expansions(this.#model, endpoint);
    for (const more of [{}, { full: true }, ...expanded.map((query) => ({ query }))]) {
      const sent = requestFor(this.#requesting(endpoint, more));
      const [both, alone] = [await this.#in("both", sent), await this.#in("alone", sent)];
      this.#expectSilence(both, []);
      const { resource } = endpoint;
      // A resource without hidden records is skipped.
      if (resource !== undefined && !this.#tenants.hidden.has(resource)) continue;
      if (this.#withoutCounters(endpoint, both.answered) === this.#withoutCounters(endpoint, alone.answered))
        continue;
      if (this.#isKnown(`${endpoint.method} ${endpoint.path.text}`)) continue;
      assert.fail(
        `A receives something else since B exists:\n${reportOf(both)}\nand before:\n${reportOf(alone)}`,
      );
    }
  }

  #isKnown(what: string): boolean {
    if (known[this.#file]?.[what] === undefined) return false;
    this.seen.add(what);
    return true;
  }

  #expectSilence(pair: Pair, said: readonly (string | number)[]): void {
    const { status, headers, body } = pair.answered;
    const text = `${headers.join("\n")}\n${body}`;
    const secrets = this.#tenants.b.secrets.filter(({ resource }) => this.#tenants.hidden.has(resource));
    const reported = secrets.filter(
      (secret) => text.includes(secret.text) && !said.some((entry) => String(entry).includes(secret.text)),
    );
    assert.deepEqual(reported, [], `B's own words in the answer:\n${reportOf(pair)}`);
    assert.ok(status < 500 || status === 501 || !this.#strict, reportOf(pair));
  }

  /** Returns the cursor after B's first page; undefined if the list has no second page. */
  async #cursorOfB(endpoint: Endpoint, slot: Slot): Promise<string | undefined> {
    const { pagination } = endpoint;
    const size = pagination && "size" in pagination ? pagination.size : undefined;
    if (size === undefined) return undefined;
    const requesting = { realm: this.#tenants.b, query: [[size, "1"]] as const };
    const { answered } = await this.#in("owner", requestFor(this.#requesting(endpoint, requesting)));
    const sealed = /[\w-]{40,}/.exec(answered.body.replaceAll(slot.field, ""))?.[0];
    assert.ok(sealed || !this.#strict, `B's list has no second page: ${answered.status} ${answered.body}`);
    return sealed;
  }

  /** Returns B's entity tags of this record, which A might have learned. */
  async #tagsOfB(endpoint: Endpoint): Promise<readonly (readonly (readonly [string, string])[])[]> {
    if (!endpoint.preconditions) return [];
    const reading = this.#model.endpoints.find(
      (candidate) =>
        candidate.method === "GET" && candidate.path.text === endpoint.path.text && candidate.preconditions,
    );
    if (!reading) return [[["If-Match", '"1"']]];
    const { answered } = await this.#in(
      "owner",
      requestFor(this.#requesting(reading, { realm: this.#tenants.b })),
    );
    const tag = answered.headers.find(([name]) => name.toLowerCase() === "etag")?.[1];
    assert.ok(tag || !this.#strict, `B's record has no entity tag: ${answered.status} ${answered.body}`);
    if (tag === undefined) return [];
    return [[["If-Match", tag]], [["If-None-Match", tag]]];
  }

  /**
   * Removes encrypted values, which reveal nothing. Of a record with a number that all callers
   * share, only its creation counts.
   */
  #withoutCounters(endpoint: Endpoint, answered: Answered): string {
    const makes = [...endpoint.does, ...endpoint.effects].flatMap((action) =>
      action.kind === "create" || action.kind === "upsert" ? [action.resource] : [],
    );
    const counts = makes.some((name) => {
      const identifier = resourceNamed(this.#model, name)?.identifier;
      return identifier?.kind === "made" && identifier.by?.text === "sequence()";
    });
    if (counts) return String(answered.status);
    return sameText(answered).replace(/[\w-]{60,}/g, "sealed");
  }
}

function namedValue(realm: Realm, { resource, field }: Slot): string | number | undefined {
  const made = realm.records.get(resource)?.at(-1);
  if (field === together) return made && JSON.stringify(made.identifier);
  const value = made?.record[field];
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}

/** Returns the same fields, of which the last names no record. */
function lookalikeTogether(text: string): string {
  const parts = Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>);
  const [name, last] = parts.at(-1) as [string, unknown];
  const other =
    typeof last === "object"
      ? JSON.parse(lookalikeTogether(JSON.stringify(last)))
      : lookalike(last as string);
  return JSON.stringify(Object.fromEntries([...parts.slice(0, -1), [name, other]]));
}

/** Returns the single expansions of an endpoint: each reference of its resource. */
function expansions(model: Model, endpoint: Endpoint): readonly (readonly (readonly [string, string])[])[] {
  const { expansion } = model.endpointsPart;
  if (expansion === undefined) return [];
  const fields = resourceNamed(model, endpoint.resource)?.fields ?? [];
  return fields
    .filter((field) => field.type.kind === "reference")
    .map((field) => [[`${expansion}[]`, field.name] as const]);
}

/**
 * Returns the response as one text, in which the named values are replaced by those of the other
 * request.
 */
function sameText(
  { status, headers, body }: Answered,
  value?: string | number,
  other?: string | number,
): string {
  const text = `${status}\n${headers.map((line) => line.join(": ")).join("\n")}\n\n${body}`;
  if (value === undefined) return text;
  if (typeof value === "number") return text.replace(new RegExp(`\\b${value}\\b`, "g"), String(other));
  return text
    .replaceAll(value, String(other))
    .replaceAll(encodeURIComponent(value), encodeURIComponent(String(other)));
}

function reportOf({ sent, answered }: Pair): string {
  const { status, headers, body } = answered;
  return `  ${asCommand(sent)}\n  ${status} ${headers.map((line) => line.join(": ")).join(" | ")}\n  ${body}`;
}
