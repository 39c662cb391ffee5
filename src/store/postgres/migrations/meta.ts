/**
 * A schema's metadata: its document, its tables, the stored changes that were applied, and how
 * often it was changed.
 */
import type { Model } from "../../../model/model.ts";
import type { HadChange } from "../../migrations/plan/pending.ts";
import { hadByNew } from "../../migrations/plan/planning.ts";
import { textMeta } from "../../document-text.ts";
import { StoreRefused } from "../../errors.ts";
import { movingMeta, refuseUnfinished } from "../../moving/unfinished.ts";
import { quoted, quotedText as text } from "../../sql/fragment.ts";
import type { Tables } from "../../tables.ts";
import type { PostgresAddress } from "../address.ts";
import { renewedIndexes, systemTables } from "../ddl.ts";
import { continuedLog, logFunctions, upgradedLog } from "../event-log.ts";
import { functionDefinitions } from "../functions.ts";
import { sharedTables } from "../shared/tables.ts";
import { machine } from "../../../support/machine.ts";
import { servers } from "./turns.ts";
import { refuseLackingRights, refuseOtherOrder, type Going } from "./usable.ts";

/** Which system tables there are; raised when they change. */
const formatVersion = "2";
/** Its groups held one lock for all instances, and one row had the last number of the log. */
const formerFormat = "1";

export interface SchemaNow {
  /** Undefined of a new one. */
  readonly tables: Tables | undefined;
  readonly had: readonly HadChange[];
  /**
   * Incremented by each change that instances of the old document don't tolerate: an instance that started with
   * another generation must stop.
   */
  readonly generation: string;
  /** The target tables of an unfinished online migration. */
  readonly aim: Tables | undefined;
}

/** Creates the schema and the engine's own tables, if they don't exist. @throws StoreRefused */
export async function prepareSchema(session: Going, address: PostgresAddress): Promise<void> {
  const { schema, shown } = address;
  const [found] = await session.go(
    `SELECT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid) FROM pg_namespace n WHERE n.nspname = ${text(schema)}`,
  );
  const isEmpty = found?.[0] !== true;
  if (!isEmpty && !(await hasStore(session, address))) {
    throw new StoreRefused(
      `The schema ${schema} of ${shown} has tables of another application.`,
      "Name another schema in the store's address (?schema=…); it is created if it doesn't exist.",
    );
  }
  // Creating one needs a privilege on the database even if it exists already, which its owner may lack.
  if (found) await refuseLackingRights(session, address);
  else await session.go(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`);
  if (isEmpty) {
    for (const statement of systemTables) await session.go(statement);
    await writeMeta(session, "format", formatVersion);
  }
  const format = await upgraded(session, address);
  if (format !== formatVersion) {
    throw new StoreRefused(
      `${shown} was created by a Ninefold with another storage format (format ${format}; this one supports ${formatVersion}).`,
      "Use that version of Ninefold.",
    );
  }
  const prepared = [...functionDefinitions(), ...logFunctions, ...sharedTables, ...renewedIndexes];
  for (const statement of [...prepared, ...continuedLog]) await session.go(statement);
}

/**
 * The format of the schema. The former one is brought up to date when no instance serves it: its instances write one
 * after another, and would not see what is written meanwhile.
 */
async function upgraded(session: Going, address: PostgresAddress): Promise<string | undefined> {
  const format = await readMeta(session, "format");
  if (format !== formerFormat) return format;
  if ((await servers(session, address)).length > 0)
    throw new StoreRefused(
      `An instance of an earlier Ninefold serves ${address.shown}, and can't write concurrently with this one.`,
      "Stop all its instances, and start again.",
    );
  for (const statement of upgradedLog) await session.go(statement);
  await writeMeta(session, "format", formatVersion);
  // An instance whose connection was lost for a moment would go on otherwise.
  await raiseGeneration(session);
  return formatVersion;
}

/**
 * Whether a schema has a store, possibly one that is being created.
 * @throws StoreRefused if this user may not use it
 */
export async function hasStore(session: Going, { schema, shown }: PostgresAddress): Promise<boolean> {
  const [row] = await session.go(
    `SELECT has_schema_privilege(n.oid, 'USAGE') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ${text(schema)} AND c.relname = 'ninefold_meta'`,
  );
  // Its tables would be as if they weren't there.
  if (row?.[0] === false)
    throw new StoreRefused(
      `The user of ${shown} may not use the schema ${schema}.`,
      "Name the owner of the schema in the address, or make this user its owner (ALTER SCHEMA … OWNER TO …, and so its tables).",
    );
  return row !== undefined;
}

/** @throws StoreRefused if it belongs to another document */
export async function schemaNow(session: Going, address: PostgresAddress, model: Model): Promise<SchemaNow> {
  const { shown } = address;
  const meta = new Map(
    await session.go<readonly [name: string, value: string]>("SELECT name, value FROM ninefold_meta"),
  );
  refuseUnfinished(meta.get(movingMeta), shown);
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
  return {
    tables,
    had: had.map(([name, hash]) => ({ name, hash })),
    generation: meta.get("generation") ?? "0",
    aim: tablesIn("aim"),
  };
}

/** What the schema is from now on. */
export async function keepTables(session: Going, model: Model, tables: Tables): Promise<void> {
  const isNew = (await readMeta(session, "tables")) === undefined;
  await writeMeta(session, "document", model.name);
  await writeMeta(session, "tables", JSON.stringify(tables));
  await keepText(session, model);
  await forgetMeta(session, "aim");
  if (isNew) for (const change of hadByNew(model)) await noteHad(session, change);
}

/** The document as it was when an instance last started with it, to compare the next one with. */
export async function keepText(session: Going, { text: document }: Model): Promise<void> {
  if ((await readMeta(session, textMeta)) !== document) await writeMeta(session, textMeta, document);
}

/** A stored change that nothing had to be done for. */
export async function noteHad(session: Going, { name, hash }: HadChange): Promise<void> {
  await session.go(
    `INSERT INTO ninefold_changes (name, hash, at, records, ms) VALUES (${text(name)}, ${text(hash)}, ${text(new Date(machine.now()).toISOString())}, 0, 0) ON CONFLICT DO NOTHING`,
  );
}

export async function readMeta(session: Going, name: string): Promise<string | undefined> {
  const [row] = await session.go<readonly [value: string]>(
    `SELECT value FROM ninefold_meta WHERE name = ${text(name)}`,
  );
  return row?.[0];
}

export async function writeMeta(session: Going, name: string, value: string): Promise<void> {
  await session.go(
    `INSERT INTO ninefold_meta (name, value) VALUES (${text(name)}, ${text(value)}) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  );
}

/** An instance of an earlier generation never reads or writes the schema again. */
export async function raiseGeneration(session: Going): Promise<void> {
  await writeMeta(session, "generation", String(Number((await readMeta(session, "generation")) ?? 0) + 1));
}

export async function forgetMeta(session: Going, name: string): Promise<void> {
  await session.go(`DELETE FROM ninefold_meta WHERE name = ${text(name)}`);
}
