/** Schema metadata: document, tables, applied stored changes, and generation. */
import { createHash } from "node:crypto";
import type { Model } from "../../../model/model.ts";
import type { AppliedChange } from "../../migrations/plan/pending-changes.ts";
import { changesOfNewStore } from "../../migrations/plan/migration-plan.ts";
import { textMeta } from "../../document-text.ts";
import { StoreRefused } from "../../errors.ts";
import { unfinishedMoveKey, refuseUnfinished } from "../../move/unfinished-move.ts";
import { quoted, quotedText as text } from "../../sql/fragment.ts";
import type { Tables } from "../../tables.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { schemaRefusal } from "../connection/settings.ts";
import { isLockTable } from "../connection/session-locks.ts";
import { rebuildIndexStatements, systemTables } from "../statements/ddl.ts";
import { continueLogStatements, logFunctions, upgradeLogStatements } from "../statements/event-log.ts";
import { functionDefinitions } from "../statements/functions.ts";
import { sharedTables } from "../shared/tables.ts";
import { machine } from "../../../support/machine.ts";
import { servingProcesses } from "./migration-lock.ts";
import {
  refuseUnfinishedChange,
  refuseUnfinishedCreation,
  unfinishedChangeKey,
} from "./unfinished-change.ts";
import { refuseLackingRights, refuseOtherOrder, type StatementRunner } from "./usability.ts";

/** The version of the system tables. Increase it when they change. */
const formatVersion = "3";
/**
 * The earlier versions, with their upgrades. In the first, groups held one lock for all instances,
 * and one row had the last number of the log. In the second, a write made the receivers of its
 * deliveries due. Its instances would not send what others only insert.
 */
const upgrades: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ["1", upgradeLogStatements],
  ["2", []],
]);

export interface SchemaState {
  /** Undefined for a new schema. */
  readonly tables: Tables | undefined;
  readonly applied: readonly AppliedChange[];
  /**
   * Incremented by each change that instances of the old document don't tolerate. An instance that
   * started with another generation must stop.
   */
  readonly generation: string;
  /** The digests of the tables of all documents that were opened in this generation. */
  readonly opened: readonly string[];
  /** The target tables of an unfinished online migration. */
  readonly target: Tables | undefined;
}

/**
 * Creates the schema and the engine's own tables, if they don't exist.
 * @throws StoreRefused
 */
export async function prepareSchema(session: StatementRunner, address: PostgresAddress): Promise<void> {
  const { schema, shown } = address;
  const [found] = await session.go(
    `SELECT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND NOT ${isLockTable}) FROM pg_namespace n WHERE n.nspname = ${text(schema)}`,
  );
  const isEmpty = found?.[0] !== true;
  if (!isEmpty && !(await hasStore(session, address))) {
    await refuseUnfinishedCreation(session, address);
    throw new StoreRefused(
      `The schema ${schema} of ${shown} has tables of another application.`,
      "Name another schema in the store's address (?schema=…); it is created if it doesn't exist.",
    );
  }
  // CREATE SCHEMA requires a privilege on the database even if the schema exists. Its owner may
  // lack that.
  if (found) await refuseLackingRights(session, address);
  else await session.go(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`);
  if (isEmpty) {
    for (const statement of systemTables) await session.go(statement);
    await writeMeta(session, "format", formatVersion);
  }
  const format = await upgraded(session, address);
  if (format === undefined) await refuseUnfinishedCreation(session, address);
  if (format !== formatVersion) {
    throw new StoreRefused(
      `${shown} was created by a Ninefold with another storage format (format ${format}; this one supports ${formatVersion}).`,
      "Use that version of Ninefold.",
    );
  }
  const prepared = [...functionDefinitions(), ...logFunctions, ...sharedTables, ...rebuildIndexStatements];
  for (const statement of [...prepared, ...continueLogStatements]) await session.go(statement);
}

/**
 * Upgrades the schema's format if no instance serves it, and returns the format.
 */
async function upgraded(session: StatementRunner, address: PostgresAddress): Promise<string | undefined> {
  const format = await readMeta(session, "format");
  const statements = upgrades.get(format);
  if (!statements) return format;
  if ((await servingProcesses(session, address)).length > 0)
    throw new StoreRefused(
      `An instance of an earlier Ninefold serves ${address.shown}, and can't share it with this one.`,
      "Stop all its instances, and start again.",
    );
  for (const statement of statements) await session.go(statement);
  await writeMeta(session, "format", formatVersion);
  // Stops an instance whose connection was lost for a moment; it would continue otherwise.
  await raiseGeneration(session);
  return formatVersion;
}

/**
 * Whether a schema has a store, possibly one that is being created.
 * @throws StoreRefused if this user may not use it
 */
export async function hasStore(session: StatementRunner, address: PostgresAddress): Promise<boolean> {
  const [row] = await session.go(
    `SELECT has_schema_privilege(n.oid, 'USAGE') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ${text(address.schema)} AND c.relname = 'ninefold_meta'`,
  );
  // Without the privilege, its tables would be invisible.
  if (row?.[0] === false) throw schemaRefusal(address);
  return row !== undefined;
}

/**
 * Reads the metadata of a schema.
 * @throws StoreRefused if it belongs to another document
 */
export async function readSchemaState(
  session: StatementRunner,
  address: PostgresAddress,
  model: Model,
): Promise<SchemaState> {
  const { shown } = address;
  const meta = new Map(
    await session.go<readonly [name: string, value: string]>("SELECT name, value FROM ninefold_meta"),
  );
  refuseUnfinished(meta.get(unfinishedMoveKey), shown);
  refuseUnfinishedChange(meta.get(unfinishedChangeKey), address);
  const document = meta.get("document");
  if (document !== undefined && document !== model.name) {
    throw new StoreRefused(
      `${shown} belongs to another document: "${document}", not "${model.name}".`,
      "Give this document a schema of its own (?schema=…), or restore its old name.",
    );
  }
  const had = await session.go<readonly [name: string, hash: string]>(
    "SELECT name, hash FROM ninefold_changes ORDER BY place",
  );
  const tablesIn = (name: string): Tables | undefined => {
    const value = meta.get(name);
    return value === undefined ? undefined : JSON.parse(value);
  };
  const tables = tablesIn("tables");
  await refuseOtherOrder(session, address, tables);
  const generation = meta.get("generation") ?? "0";
  return {
    tables,
    applied: had.map(([name, hash]) => ({ name, hash })),
    generation,
    opened: openedIn(meta.get(openedMeta), generation),
    target: tablesIn("aim"),
  };
}

/** Records the tables and the document that the schema has from now on. */
export async function storeTables(session: StatementRunner, model: Model, tables: Tables): Promise<void> {
  const isNew = (await readMeta(session, "tables")) === undefined;
  await writeMeta(session, "document", model.name);
  await writeMeta(session, "tables", JSON.stringify(tables));
  await storeDocumentText(session, model);
  await forgetMeta(session, "aim");
  if (isNew) for (const change of changesOfNewStore(model)) await recordAppliedChange(session, change);
}

/**
 * Stores the text of the document with which an instance starts, to compare the next one with it.
 */
export async function storeDocumentText(session: StatementRunner, { text: document }: Model): Promise<void> {
  if ((await readMeta(session, textMeta)) !== document) await writeMeta(session, textMeta, document);
}

const openedMeta = "opened";

interface Opened {
  readonly generation: string;
  readonly digests: readonly string[];
}

function openedIn(value: string | undefined, generation: string): readonly string[] {
  const opened: Opened | undefined = value === undefined ? undefined : JSON.parse(value);
  return opened?.generation === generation ? opened.digests : [];
}

/** A text that is the same only for the same tables. */
export function digestOf(tables: Tables): string {
  return createHash("sha256").update(JSON.stringify(tables)).digest("base64url");
}

/** Records the tables of a document that an instance opens, so that it may open them again. */
export async function noteOpened(
  session: StatementRunner,
  tables: Tables,
  generation: string,
): Promise<void> {
  const digest = digestOf(tables);
  const known = openedIn(await readMeta(session, openedMeta), generation);
  if (known.includes(digest)) return;
  const opened: Opened = { generation, digests: [...known, digest] };
  await writeMeta(session, openedMeta, JSON.stringify(opened));
}

/** Records a stored change that had no effect. */
export async function recordAppliedChange(
  session: StatementRunner,
  { name, hash }: AppliedChange,
): Promise<void> {
  await session.go(
    `INSERT INTO ninefold_changes (name, hash, at, records, ms) VALUES (${text(name)}, ${text(hash)}, ${text(new Date(machine.now()).toISOString())}, 0, 0) ON CONFLICT DO NOTHING`,
  );
}

/** A value of the schema's metadata; undefined if it isn't set. */
export async function readMeta(session: StatementRunner, name: string): Promise<string | undefined> {
  const [row] = await session.go<readonly [value: string]>(
    `SELECT value FROM ninefold_meta WHERE name = ${text(name)}`,
  );
  return row?.[0];
}

export async function writeMeta(session: StatementRunner, name: string, value: string): Promise<void> {
  await session.go(
    `INSERT INTO ninefold_meta (name, value) VALUES (${text(name)}, ${text(value)}) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  );
}

/**
 * Starts a new generation. An instance of an earlier generation never reads or writes the schema
 * again.
 */
export async function raiseGeneration(session: StatementRunner): Promise<void> {
  await writeMeta(session, "generation", String(Number((await readMeta(session, "generation")) ?? 0) + 1));
}

export async function forgetMeta(session: StatementRunner, name: string): Promise<void> {
  await session.go(`DELETE FROM ninefold_meta WHERE name = ${text(name)}`);
}
