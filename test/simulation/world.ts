/**
 * World: a service with its store, as a sequence of processes. It receives requests, its clock is
 * moved, and it is stopped or killed at any moment. A kill copies the store's files as they are at
 * that moment; later actions of the process have no effect.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createRequest } from "../../src/engine/http/message.ts";
import { type Clock, createMovableClock, type Log, type MovableClock } from "../../src/engine/ports.ts";
import { createService, type Service } from "../../src/engine/service.ts";
import type { Expression } from "../../src/expressions/node.ts";
import type { Frame, RecordValue, Value } from "../../src/expressions/value.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Scheme } from "../../src/model/model.ts";
import { openStore } from "../../src/store/index.ts";
import type { Query, Store, StoreSnapshot } from "../../src/store/store.ts";
import type { Realm } from "../tenancy/worlds.ts";
import type { HttpRequest } from "./requests.ts";
import { type ChancePort, createChancePort } from "./chance-port.ts";
import type { Played } from "./documents.ts";
import { type Held, keyOf } from "./expected-state.ts";
import type { Network } from "./network.ts";
import { elapsed, timeMayPass } from "./platform.ts";
import { type WatchedStore, watchStore, type Write } from "./watched-store.ts";

export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  /** The response is a stream; its reader counts the pieces. */
  readonly isStream: boolean;
}

export interface Complaint {
  readonly message: string;
  readonly reported: string;
}

export interface WorldOptions {
  readonly played: Played;
  readonly seed: number;
  /** The folder of its files; absent for a store in memory. */
  readonly folder?: string;
  readonly begins: StoreSnapshot;
  readonly nowMs: number;
  readonly network?: Network;
}

/** A copy of the files, and the writes that were acknowledged when it was made. */
interface Copied {
  readonly path: string;
  readonly acknowledged: ReadonlySet<Write>;
}

/**
 * The world is idle after this many event loop ticks without activity. After too many ticks with
 * activity, it is in an endless loop.
 */
const quietTurns = 5;
const turnsMax = 20_000;

export class World {
  clock: MovableClock;
  life = 0;
  /** The errors that the engine has reported. */
  readonly complaints: Complaint[] = [];
  service!: Service;
  watched!: WatchedStore;
  readonly chance: ChancePort;
  readonly #options: WorldOptions;
  #store!: Store;
  #queries = new Map<string, Query<RecordValue>>();
  #activity = 0;
  /** Ticks until the process dies; undefined while it lives. */
  #ticksLeft: number | undefined;
  #copied: Copied | undefined;
  #network: { die(): void; leave(): void } | undefined;
  /** The readers of streamed responses. They receive nothing after the process is dead. */
  readonly #readers = new Set<AsyncIterator<unknown>>();

  constructor(options: WorldOptions) {
    this.#options = options;
    this.clock = createMovableClock(options.nowMs);
    this.chance = createChancePort(options.seed);
  }

  /** @param begins the initial content of the store; null to keep the existing one */
  async open(begins: StoreSnapshot | null = this.#options.begins): Promise<void> {
    const { played, folder, network, seed } = this.#options;
    const { model, handlers } = played;
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    const { life, clock } = this;
    const path = folder === undefined ? ":memory:" : this.#path(this.life);
    this.#store = await openStore(model, meaningOf(model), {
      path,
      onWarning: (message) => this.complaints.push({ message, reported: "" }),
      ...(begins === null ? {} : { initialContent: begins }),
      machine: {
        now: () => clock.now(),
        elapsed,
        after: (ms, callback) => clock.at(clock.now() + ms, callback),
      },
    });
    this.#queries.clear();
    this.watched = watchStore(this.#store, () => this.#tick(), this.chance.binding);
    // The key of a new store is random, drawn from the platform's seed.
    await this.#store.write(async ({ system }) => {
      if ((await system.setting("own key")) === null)
        await system.setSetting(
          "own key",
          Buffer.from(`own key ${seed}`.padEnd(32, "-")).toString("base64url"),
        );
    });
    const port = network?.portOf(life, clock);
    this.#network = port;
    const counted: Clock = {
      now: () => this.#counted(clock.now()),
      at: (at, callback) => callAt(clock, at, callback),
    };
    this.service = await createService(model, {
      store: this.watched.store,
      ports: {
        clock: counted,
        machine: counted,
        ...(port ? { network: port } : {}),
        log: this.#log(life),
        randomBytes: (count) => this.#counted(this.chance.bytes(count)),
      },
      origin: () => "http://localhost",
      planLate: true,
      ...(handlers ? { handlers } : {}),
      allowPrivateWebhooks: true,
    });
    if (!network) return;
    // As in `serve`: due work runs while the service already answers requests.
    void this.service.internals.timers.runAllDue().catch(() => undefined);
    this.service.deliveries.start();
  }

  #path(life: number): string {
    return join(this.#options.folder as string, `life-${life}.db`);
  }

  #counted<T>(value: T): T {
    this.#activity += 1;
    return value;
  }

  #log(life: number): Log {
    const report = (fields: Readonly<Record<string, unknown>>, message: string) => {
      if (life === this.life) this.complaints.push({ message, reported: JSON.stringify(fields) });
    };
    return { info() {}, warn: report, error: report };
  }

  // ── Requests ─────────────────────────────────────────────────────────────────────────────────────

  /** @param name seeds the request's randomness */
  request(sendRequest: HttpRequest, name: string): Promise<Answer> {
    const { method, target, headers, address, body } = sendRequest;
    const sent = {
      method,
      target,
      headers,
      remoteAddress: address,
      ...(body === undefined ? {} : { body }),
    };
    const request = createRequest({ ...sent, headers: [...headers] });
    return this.chance.as(name, async () => {
      const answer = await this.service.fetch(request);
      this.#activity += 1;
      if (typeof answer.body === "string" || answer.body instanceof Uint8Array) {
        const text =
          typeof answer.body === "string" ? answer.body : Buffer.from(answer.body).toString("base64");
        return { status: answer.status, headers: answer.headers, body: text, isStream: false };
      }
      this.#follow(answer.body[Symbol.asyncIterator]());
      return { status: answer.status, headers: answer.headers, body: "", isStream: true };
    });
  }

  /** Reads a stream until it ends. */
  #follow(reader: AsyncIterator<unknown>): void {
    this.#readers.add(reader);
    const next = async (): Promise<void> => {
      for (;;) {
        const { done } = await reader.next();
        this.#activity += 1;
        if (done) break;
      }
    };
    void next()
      .catch(() => undefined)
      .finally(() => this.#readers.delete(reader));
  }

  /** Disconnects all readers. */
  async leaveStreams(): Promise<void> {
    for (const reader of [...this.#readers]) void reader.return?.();
    await this.quiet();
  }

  token(scheme: Scheme, realm: Realm): string | undefined {
    const resource = scheme.credentials?.resource ?? "";
    const record = realm.records.get(resource)?.at(-1)?.record;
    return record && this.service.internals.context.tokens.sign(resource, record, [scheme.name]);
  }

  /**
   * Waits until nothing happens without a change of time.
   * @returns whether the world became idle
   */
  async quiet(): Promise<boolean> {
    let last = -1;
    let still = 0;
    for (let turns = 0; turns < turnsMax; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      still = this.#activity === last && this.watched.waiting === 0 ? still + 1 : 0;
      last = this.#activity;
      if (still === quietTurns) return true;
    }
    return false;
  }

  // ── State ───────────────────────────────────────────────────────────────────────────────────

  /** The whole stored state. */
  async held(): Promise<Held> {
    const { model } = this.#options.played;
    const records = new Map<string, RecordValue>();
    const frame = this.service.internals.newFrame(this.clock.now());
    for (const { name, identifier, gap } of model.resources) {
      if (identifier.kind === "none" || gap) continue;
      for (const record of await this.recordsOf(name, undefined, frame))
        records.set(keyOf(name, record["#row"]), record);
    }
    return { records, events: await this.#store.session.system.events() };
  }

  /** The records of a resource that satisfy a condition, including those marked as deleted. */
  async recordsOf(
    resource: string,
    condition: Expression | undefined,
    frame: Frame,
  ): Promise<readonly RecordValue[]> {
    const name = `${resource} ${condition?.text ?? ""}`;
    const known = this.#queries.get(name);
    const where = condition ? [condition.node] : [];
    const query = known ?? this.#store.prepareRecords({ resource, where, order: [], includesDeleted: true });
    if (!known) this.#queries.set(name, query);
    return this.#store.session.records(query, frame);
  }

  get store(): Store {
    return this.#store;
  }

  snapshot(): Promise<StoreSnapshot> {
    return (this.#store.snapshot as NonNullable<Store["snapshot"]>)();
  }

  frame(caller: Value) {
    const frame = this.service.internals.newFrame(this.clock.now());
    frame.caller = caller;
    return frame;
  }

  // ── Ends of processes ───────────────────────────────────────────────────────────────────────

  /** Kills the process after this many further calls to its store. */
  willDie(ticks: number): void {
    this.#ticksLeft = ticks;
  }

  #tick(): void {
    this.#activity += 1;
    timeMayPass();
    if (this.#ticksLeft === undefined) return;
    this.#ticksLeft -= 1;
    if (this.#ticksLeft <= 0) this.#copy();
  }

  #copy(): void {
    this.#ticksLeft = undefined;
    const path = this.#path(this.life + 1);
    const acknowledged = new Set(this.watched.writes().filter((write) => write.isAcknowledged));
    for (const ending of ["", "-wal"])
      if (existsSync(this.#path(this.life) + ending))
        copyFileSync(this.#path(this.life) + ending, path + ending);
    this.#network?.die();
    this.#copied = { path, acknowledged };
  }

  get isDead(): boolean {
    return this.#copied !== undefined;
  }

  /**
   * Kills the process if it is alive, and starts a new one from its files.
   * @returns its writes, of which an unknown number were stored, and the acknowledged ones
   */
  async rise(): Promise<{ readonly writes: readonly Write[]; readonly acknowledged: ReadonlySet<Write> }> {
    if (!this.#copied) this.#copy();
    const { acknowledged } = this.#copied as Copied;
    // The dead process finishes its work on files that are never opened again.
    await this.quiet();
    const writes = this.watched.writes();
    const life = this.life;
    this.life += 1;
    await this.#end();
    for (const ending of ["", "-wal", "-shm", ".lock"]) rmSync(this.#path(life) + ending, { force: true });
    this.#copied = undefined;
    this.clock = createMovableClock(this.clock.now());
    await this.open(null);
    return { writes, acknowledged };
  }

  /**
   * Stops the process regularly, and starts a new one.
   * @returns the writes until the stop
   */
  async restart(): Promise<readonly Write[]> {
    const { folder } = this.#options;
    this.#network?.leave();
    await this.service.close();
    await this.quiet();
    const kept = folder === undefined ? await this.snapshot() : null;
    await this.#store.close();
    const writes = this.watched.writes();
    this.clock = createMovableClock(this.clock.now());
    await this.open(kept);
    return writes;
  }

  async #end(): Promise<void> {
    await this.service.close();
    await this.#store.close();
  }

  async close(): Promise<void> {
    this.#network?.die();
    await this.#end();
    const { folder } = this.#options;
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A movable clock calls back when it is moved; a time in the past calls back at once, as with any
 * clock.
 */
function callAt(clock: MovableClock, timeMs: number, callback: () => void): () => void {
  if (timeMs > clock.now()) return clock.at(timeMs, callback);
  const soon = setImmediate(callback);
  return () => clearImmediate(soon);
}
