/**
 * Peer notifications: an instance that has committed a change wakes waiting requests of the other
 * instances.
 *
 * They use a separate connection. A notification has no state of its own: the state is in the
 * tables, which each instance also polls every second, by the database's clock.
 */
import { randomUUID } from "node:crypto";
import { statement } from "../../rows/steps.ts";
import type { Commit, StoreStatus } from "../../store.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { channelOf } from "../migrations/migration-lock.ts";
import { lastSequence } from "../statements/event-log.ts";
import { isFatal } from "../connection/failures.ts";
import { PostgresConnection } from "../connection/connection.ts";
import type { DatabaseClock } from "./clock.ts";
import { clockMs } from "./tables.ts";
import { InstanceState, type ServingOptions } from "./serving-state.ts";
import { messageOf } from "../../../support/failure.ts";
import { machine, every } from "../../../support/machine.ts";

const lookEveryMs = 1_000;
/**
 * The interval of size queries, in milliseconds. For each, the server reads the size of every file
 * of the database.
 */
const sizeEveryMs = 60_000;
/**
 * The server ends the session of an instance that hasn't polled for this time, in milliseconds. It
 * is suspended or dead.
 */
const idleMs = 10_000;
/**
 * The minimum interval of commit notifications, in milliseconds. Notifying transactions of all
 * databases on a server run one after another.
 */
const notifyEveryMs = 20;
/** The maximum size of a notification, in bytes. PostgreSQL accepts slightly more. */
const payloadBytesMax = 7_000;
/** The maximum number of changed records of one resource that are listed individually. */
const rowsInNoticeMax = 200;

const lastEvent = statement<readonly [sequence: number]>(lastSequence);

interface ChangeNotice {
  readonly from: string;
  readonly hasEvents: boolean;
  readonly changed: Readonly<Record<string, readonly number[] | null>>;
}

export interface PeerOptions extends ServingOptions {
  /** Called when another instance has committed a change. */
  readonly onCommit: (commit: Commit) => void;
  readonly clock: DatabaseClock;
  readonly resources: readonly string[];
  readonly onWarning: (message: string) => void;
}

/** Sends and receives the notifications of one instance, and polls the schema every second. */
export class PeerNotifications {
  readonly #address: PostgresAddress;
  readonly #options: PeerOptions;
  readonly #own = randomUUID();
  readonly #channel: string;
  readonly #instanceState: InstanceState;
  readonly #stopPolling: () => void;
  #connection: PostgresConnection | undefined;
  /**
   * The server has no notifications. Each poll then counts as a commit that may have changed
   * anything.
   */
  #hasNoNotifications = false;
  #isPolling = false;
  #isClosed = false;
  #lastEvent: number | undefined;
  #bytes = 0;
  #sizedAtMs = Number.NEGATIVE_INFINITY;
  #obstacle: string | null = null;
  #unsent: { hasEvents: boolean; changed: Map<string, Set<number> | null> } | undefined;

  constructor(address: PostgresAddress, options: PeerOptions) {
    this.#address = address;
    this.#options = options;
    this.#channel = channelOf(address);
    this.#instanceState = new InstanceState(options);
    this.#stopPolling = every(lookEveryMs, () => void this.#poll());
  }

  /** Connects. Resolves when it listens, and the time of the database is known. */
  start(): Promise<void> {
    return this.#poll();
  }

  get servingState(): InstanceState["now"] {
    return this.#instanceState.now;
  }

  status(): Pick<StoreStatus, "bytes" | "obstacle"> {
    return { bytes: this.#bytes, obstacle: this.#obstacle };
  }

  /** Notifies the other instances of a commit, after a short delay. */
  notify({ hasEvents, changed }: Commit): void {
    if (!this.#unsent) {
      this.#unsent = { hasEvents: false, changed: new Map() };
      machine.after(notifyEveryMs, () => void this.#notifyNow(), true);
    }
    this.#unsent.hasEvents ||= hasEvents;
    for (const [resource, rows] of changed) {
      const known = this.#unsent.changed.get(resource);
      if (rows === null || known === null) this.#unsent.changed.set(resource, null);
      else this.#unsent.changed.set(resource, new Set([...(known ?? []), ...rows]));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopPolling();
    await this.#notifyNow();
    await this.#connection?.close();
  }

  async #notifyNow(): Promise<void> {
    const unsent = this.#unsent;
    this.#unsent = undefined;
    if (!unsent || this.#hasNoNotifications || !this.#connection?.isThere) return;
    const changed = Object.fromEntries(
      [...unsent.changed].map(([resource, rows]) => [
        resource,
        rows === null || rows.size > rowsInNoticeMax ? null : [...rows],
      ]),
    );
    const notice: ChangeNotice = { from: this.#own, hasEvents: unsent.hasEvents, changed };
    let payload = JSON.stringify(notice);
    if (Buffer.byteLength(payload) > payloadBytesMax) {
      const many = Object.fromEntries(Object.keys(changed).map((resource) => [resource, null]));
      payload = JSON.stringify({ ...notice, changed: many } satisfies ChangeNotice);
    }
    const statement = { sql: "SELECT pg_notify($1::text, $2::text)" };
    // An instance that misses the notification finds the commit at its next poll.
    await this.#connection.queryRows(statement, [this.#channel, payload]).catch(() => {});
  }

  #receive(payload: string): void {
    // Another instance is changing the tables, or has changed them.
    if (payload === "") return void this.#poll();
    const notice: ChangeNotice = JSON.parse(payload);
    if (notice.from === this.#own) return;
    const changed = new Map(
      Object.entries(notice.changed).map(([resource, rows]) => [
        resource,
        rows === null ? null : new Set(rows),
      ]),
    );
    this.#options.onCommit({ hasEvents: notice.hasEvents, changed });
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#isClosed) return;
    this.#isPolling = true;
    try {
      if (!this.#connection?.isThere) await this.#connect();
      if (!this.#isClosed) await this.#execute(this.#connection as PostgresConnection);
      this.#obstacle = null;
    } catch (error) {
      this.#obstacle = `The database can't be reached: ${messageOf(error)}.`;
    } finally {
      this.#isPolling = false;
    }
  }

  async #connect(): Promise<void> {
    this.#instanceState.begin();
    const connection = await PostgresConnection.open(this.#address, {
      pipelines: true,
      statementMs: 5_000,
      needsSession: true,
      idleMs,
    });
    try {
      if (!this.#hasNoNotifications)
        await connection.listen(this.#channel, (payload) => this.#receive(payload));
    } catch (error) {
      if (!connection.isThere || isFatal(error)) {
        await connection.close();
        throw error;
      }
      this.#hasNoNotifications = true;
      this.#options.onWarning(
        `The database has no LISTEN (${messageOf(error)}): changes by other instances are noticed within a second.`,
      );
    }
    // The store was closed meanwhile, so no one would close this connection.
    if (this.#isClosed) return connection.close();
    this.#connection = connection;
  }

  async #execute(connection: PostgresConnection): Promise<void> {
    const queriedMs = machine.now();
    const [timed] = await connection.go(`SELECT ${clockMs}`);
    this.#options.clock.learn(queriedMs, Number(timed?.[0]), machine.now());
    await this.#instanceState.poll(connection);
    if (this.#instanceState.now !== "serving") return;
    await this.#size(connection);
    const { rows } = await connection.queryRows(lastEvent, []);
    const [last = 0] = rows[0] ?? [];
    const isNew = this.#lastEvent !== undefined && last > this.#lastEvent;
    this.#lastEvent = last;
    // Most instances were notified already. A redundant read costs little.
    if (this.#hasNoNotifications) this.#options.onCommit({ hasEvents: true, changed: this.#anyChange() });
    else if (isNew) this.#options.onCommit({ hasEvents: true, changed: new Map() });
  }

  #anyChange(): Commit["changed"] {
    return new Map(this.#options.resources.map((resource) => [resource, null]));
  }

  async #size(connection: PostgresConnection): Promise<void> {
    if (machine.elapsed() - this.#sizedAtMs < sizeEveryMs) return;
    const [row] = await connection.go("SELECT pg_database_size(current_database())");
    this.#bytes = Number(row?.[0]);
    this.#sizedAtMs = machine.elapsed();
  }
}
