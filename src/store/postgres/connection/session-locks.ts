/**
 * Session locks: exclude instances from each other for longer than a transaction.
 *
 * They are advisory locks, which end with their session. If the server has none that work, tables
 * are locked instead, in an open transaction of a second connection. Such a lock ends with its
 * session too, so nothing has to be renewed, and no holder outlives its lock. It isn't the rule,
 * because each instance then has one more connection, whose transaction never ends.
 */
import { createHash } from "node:crypto";
import { quoted, quotedText } from "../../sql/fragment.ts";
import type { Row } from "../../rows/steps.ts";
import { isConcurrentCreation, isLockTimeout } from "./failures.ts";

/** What a lock is for (`migrations/migration-lock.ts`). */
export type LockPurpose = "migration" | "serving" | "superseding";
export type LockMode = "shared" | "exclusive";

interface LockSession {
  go<R extends Row>(sql: string): Promise<readonly R[]>;
  close(): Promise<void>;
}

/** The locks of one session. */
export interface SessionLocks {
  /** Takes a lock if no other session has it in a conflicting mode. Returns whether it did. */
  take(purpose: LockPurpose, mode: LockMode): Promise<boolean>;
  /** Whether this session could share a lock. */
  isFree(purpose: LockPurpose): Promise<boolean>;
  /** Releases the exclusive lock that was taken last. */
  release(purpose: LockPurpose): Promise<void>;
  releaseAll(): Promise<void>;
}

/** The key of an advisory lock or a channel: a hash of a schema and a purpose. */
export function advisoryLockKey(schema: string, purpose: LockPurpose | "channel"): bigint {
  return createHash("sha256").update(`ninefold ${purpose} ${schema}`).digest().readBigInt64BE();
}

/** A query for the server's process IDs of the sessions that share a lock of either kind. */
export function lockHolders(schema: string, purpose: LockPurpose): string {
  const key = BigInt.asUintN(64, advisoryLockKey(schema, purpose));
  return `SELECT pid FROM pg_locks WHERE granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (locktype = 'advisory' AND mode = 'ShareLock' AND objsubid = 1 AND classid = ${key >> 32n} AND objid = ${key & 0xffffffffn}
      OR locktype = 'relation' AND mode = 'RowShareLock' AND relation = to_regclass(${quotedText(`${quoted(schema)}.${tableOf(purpose)}`)}))`;
}

/** Whether a table of a schema only serves as a lock. */
export const isLockTable = "starts_with(relname, 'ninefold_lock_')";

function tableOf(purpose: LockPurpose): string {
  return `ninefold_lock_${purpose}`;
}

export class AdvisoryLocks implements SessionLocks {
  readonly #session: LockSession;
  readonly #schema: string;

  constructor(session: LockSession, schema: string) {
    this.#session = session;
    this.#schema = schema;
  }

  take(purpose: LockPurpose, mode: LockMode): Promise<boolean> {
    return this.#query(`pg_try_advisory_lock${mode === "shared" ? "_shared" : ""}(${this.#key(purpose)})`);
  }

  isFree(purpose: LockPurpose): Promise<boolean> {
    const key = this.#key(purpose);
    return this.#query(
      `CASE WHEN pg_try_advisory_lock_shared(${key}) THEN pg_advisory_unlock_shared(${key}) ELSE FALSE END`,
    );
  }

  async release(purpose: LockPurpose): Promise<void> {
    await this.#query(`pg_advisory_unlock(${this.#key(purpose)})`);
  }

  async releaseAll(): Promise<void> {
    await this.#query("pg_advisory_unlock_all()");
  }

  #key(purpose: LockPurpose): bigint {
    return advisoryLockKey(this.#schema, purpose);
  }

  async #query(expression: string): Promise<boolean> {
    const [row] = await this.#session.go(`SELECT ${expression}`);
    return row?.[0] === true;
  }
}

export class TableLocks implements SessionLocks {
  readonly #session: Pick<LockSession, "close">;
  readonly #open: () => Promise<LockSession>;
  readonly #schema: string;
  readonly #idleMs: number;
  #holder: Promise<LockSession> | undefined;

  /**
   * @param open opens the connection that holds the locks. If it is lost, so must be the session.
   * @param idleMs after this time without a statement, the server ends the connection; 0 for never
   */
  constructor(
    session: Pick<LockSession, "close">,
    open: () => Promise<LockSession>,
    schema: string,
    idleMs: number,
  ) {
    this.#session = session;
    this.#open = open;
    this.#schema = schema;
    this.#idleMs = idleMs;
  }

  async take(purpose: LockPurpose, mode: LockMode): Promise<boolean> {
    const tableMode = mode === "shared" ? "ROW SHARE" : "EXCLUSIVE";
    this.#holder ??= this.#openedHolder();
    try {
      const holder = await this.#holder;
      await holder.go(`SAVEPOINT ${purpose}; LOCK TABLE ${tableOf(purpose)} IN ${tableMode} MODE NOWAIT`);
      return true;
    } catch (error) {
      if (isLockTimeout(error)) {
        await this.release(purpose);
        return false;
      }
      // The transaction has failed. A new session takes its locks again.
      await this.#session.close();
      throw error;
    }
  }

  async isFree(purpose: LockPurpose): Promise<boolean> {
    const isFree = await this.take(purpose, "shared");
    if (isFree) await this.release(purpose);
    return isFree;
  }

  async release(purpose: LockPurpose): Promise<void> {
    await (await this.#holder)?.go(`ROLLBACK TO ${purpose}; RELEASE ${purpose}`);
  }

  async releaseAll(): Promise<void> {
    await (await this.#holder)?.go(`ROLLBACK; ${this.#begin}`);
  }

  /** Closes the connection that holds the locks. */
  async close(): Promise<void> {
    await this.#holder?.then(
      (holder) => holder.close(),
      () => {},
    );
  }

  get #begin(): string {
    return `BEGIN; SET LOCAL idle_in_transaction_session_timeout TO ${this.#idleMs}`;
  }

  async #openedHolder(): Promise<LockSession> {
    const holder = await this.#open();
    try {
      await this.#createTables(holder);
      await holder.go(this.#begin);
      return holder;
    } catch (error) {
      await holder.close();
      throw error;
    }
  }

  /** Creates the tables, which the migration lock needs before anything else of a store exists. */
  async #createTables(holder: LockSession): Promise<void> {
    const [row] = await holder.go(
      `SELECT to_regnamespace(${quotedText(quoted(this.#schema))}) IS NULL, to_regclass('${tableOf("superseding")}') IS NULL`,
    );
    if (row?.[1] !== true) return;
    const purposes = ["migration", "serving", "superseding"] as const;
    const tables = purposes.map((purpose) => `CREATE TABLE IF NOT EXISTS ${tableOf(purpose)} ()`);
    const schema = row[0] === true ? [`CREATE SCHEMA IF NOT EXISTS ${quoted(this.#schema)}`] : [];
    try {
      await holder.go([...schema, ...tables].join("; "));
    } catch (error) {
      if (!isConcurrentCreation(error)) throw error;
      await this.#createTables(holder);
    }
  }
}
