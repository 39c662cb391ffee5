/**
 * Worlds: one document as a service in memory, on a schema of PostgreSQL, and on a schema that two
 * instances share. All worlds start with the same records and the same clock, and a request's
 * number seeds its randomness. So all worlds must respond the same.
 */
import { createHash } from "node:crypto";
import { createGivenRecords, type GivenStep } from "../../src/engine/given.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, type MovableClock } from "../../src/engine/ports.ts";
import { createService, type Service } from "../../src/engine/service.ts";
import type { Expression } from "../../src/expressions/node.ts";
import type { RecordValue, Value } from "../../src/expressions/value.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model } from "../../src/model/model.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { openStore } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";

import { type Held, keyOf } from "../simulation/expected-state.ts";
import { emptySchema } from "./one-schema.ts";
import { createRealm, makeStep, type Realm, type Sent, stepsOf } from "../tenancy/worlds.ts";

export type Kind = "SQLite" | "PostgreSQL" | "two instances";

export interface RequestedValue extends Sent {
  readonly address: string;
  /** Seeds the request's randomness, independently of earlier requests. */
  readonly number: number;
  /** The request has a part that contradicts the OpenAPI file. */
  readonly isOdd?: true;
  /** The time that passes before the request, in milliseconds. */
  readonly afterMs: number;
}

export interface Answered {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  /** The lines that the service logged for the request. */
  readonly log: string;
}

const startMs = Date.parse("2030-01-01T00:00:00.000Z");

type Names = Map<string, { readonly resource: string; readonly record: RecordValue }>;

/** The key of every store, so that all worlds sign and encrypt the same. */
const ownKey = Buffer.from("the key of all random documents ").toString("base64url");

export class World {
  readonly kind: Kind;
  readonly clock: MovableClock = createMovableClock(startMs);
  readonly model: Model;
  readonly #stores: Store[] = [];
  readonly #services: Service[] = [];
  #path = ":memory:";
  #from = "start";
  /** How many random numbers each instance has drawn. */
  readonly #drawn: number[] = [];
  /** The instance that receives the request. The others draw other numbers for what they do meanwhile. */
  #receiver = 0;
  #log: string[] = [];
  readonly names: Names = new Map();

  private constructor(model: Model, kind: Kind) {
    this.model = model;
    this.kind = kind;
  }

  /** @throws the error that prevents the start of the service */
  static async open(model: Model, kind: Kind): Promise<World> {
    const world = new World(model, kind);
    try {
      if (kind !== "SQLite") world.#path = await emptySchema();
      const count = kind === "two instances" ? 2 : 1;
      for (let at = 0; at < count; at += 1) await world.#begin();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  async #begin(): Promise<void> {
    const store = await openStore(this.model, meaningOf(this.model), {
      path: this.#path,
    });
    const at = this.#stores.push(store) - 1;
    this.#drawn[at] = 0;
    this.#repeatChance(store, at);
    await store.write(async ({ system }) => {
      if ((await system.setting("own key")) === null) await system.setSetting("own key", ownKey);
    });
    const note = (fields: Readonly<Record<string, unknown>>, message: string) =>
      void this.#log.push(`${message} ${JSON.stringify(fields)}`);
    this.#services.push(
      await createService(this.model, {
        store,
        ports: {
          clock: this.clock,
          randomBytes: (count) => this.#bytes(count, at),
          log: { info() {}, warn: note, error: note },
        },
        origin: () => "http://localhost",
      }),
    );
  }

  /**
   * A repeated write draws the same random numbers again, because each store repeats writes at
   * other times.
   */
  #repeatChance(store: Store, at: number): void {
    const write = store.write.bind(store);
    store.write = (work, options) => {
      let from: number | undefined;
      return write((transaction) => {
        from ??= this.#drawn[at] as number;
        this.#drawn[at] = from;
        return work(transaction);
      }, options);
    };
  }

  #bytes(count: number, at: number): Uint8Array {
    const from = at === this.#receiver ? this.#from : `${this.#from} at ${at}`;
    let drawn = this.#drawn[at] as number;
    const pieces: Buffer[] = [];
    for (let length = 0; length < count; length += 32) {
      drawn += 1;
      pieces.push(createHash("sha256").update(`${from} ${drawn}`).digest());
    }
    this.#drawn[at] = drawn;
    return Buffer.concat(pieces).subarray(0, count);
  }

  /** Seeds the following random numbers with this text. @param receiver the instance that draws them */
  beginAnew(text: string, receiver = 0): void {
    this.#from = text;
    this.#receiver = receiver;
    this.#drawn.fill(0);
  }

  get service(): Service {
    return this.#services[0] as Service;
  }

  async send(requested: RequestedValue): Promise<Answered> {
    this.clock.moveBy(requested.afterMs);
    const receiver = requested.number % this.#services.length;
    const service = this.#services[receiver] as Service;
    this.#log = [];
    // An instance learns of the timers of others after a while.
    this.beginAnew(`due before ${requested.number}`, receiver);
    await service.internals.timers.runAllDue();
    this.beginAnew(`request ${requested.number}`, receiver);
    const { method, target, headers, address, body } = requested;
    const answer = await service.fetch(
      createRequest({
        method,
        target,
        headers: [...headers],
        remoteAddress: address,
        ...(body === undefined ? {} : { body }),
      }),
    );
    const text =
      typeof answer.body === "string"
        ? answer.body
        : answer.body instanceof Uint8Array
          ? Buffer.from(answer.body).toString("base64")
          : "in pieces";
    return { status: answer.status, headers: answer.headers, body: text, log: this.#log.join("\n") };
  }

  // ── Records ───────────────────────────────────────────────────────────────────────────────────

  /** Creates two callers with records of all resources that the document allows. */
  async seed(): Promise<{ readonly a: Realm; readonly b: Realm; readonly givens: readonly string[] }> {
    const a = createRealm("a", "apparent");
    const b = createRealm("b", "hidden");
    const givens: string[] = [];
    for (const realm of [a, b])
      for (const step of stepsOf(this.model))
        await makeStep(
          { model: this.model, written: {}, world: this, realm, unmade: [], made: givens },
          step,
        );
    return { a, b, givens };
  }

  /** @returns the messages of the records that were rejected */
  async give(givens: readonly string[]): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const [at, text] of givens.entries()) {
      this.beginAnew(`given ${at}`);
      const known = new Map([...this.names].map(([as, { resource }]) => [as, resource]));
      const { steps } = readGivenItems(this.model, "given.md", text, known);
      try {
        await createGivenRecords(this.service, steps as readonly GivenStep[], { names: this.names });
      } catch (error) {
        wrong.push(`${text}: ${String(error)}`);
      }
    }
    return wrong;
  }

  frame(caller: Value) {
    const frame = this.service.internals.newFrame(this.clock.now());
    frame.caller = caller;
    return frame;
  }

  /** The records of a resource that satisfy a condition, including those marked as deleted. */
  async recordsOf(
    resource: string,
    condition?: Expression,
    frame = this.frame(null),
  ): Promise<readonly RecordValue[]> {
    const store = this.#stores[0] as Store;
    const where = condition ? [condition.node] : [];
    return store.session.records(
      store.prepareRecords({ resource, where, order: [], includesDeleted: true }),
      frame,
    );
  }

  /** All records and events after the timers that are due. */
  async held(): Promise<Held> {
    this.beginAnew("end");
    await this.service.internals.timers.runAllDue();
    const records = new Map<string, RecordValue>();
    for (const { name, identifier, gap } of this.model.resources) {
      if (identifier.kind === "none" || gap) continue;
      for (const record of await this.recordsOf(name)) records.set(keyOf(name, record["#row"]), record);
    }
    return { records, events: await (this.#stores[0] as Store).session.system.events() };
  }

  async close(): Promise<void> {
    for (const service of this.#services) await service.close();
    for (const store of this.#stores) await store.close();
  }
}
