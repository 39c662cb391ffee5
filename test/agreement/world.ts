/**
 * World: a document's tables in both databases with random records, and the same records as plain
 * values for the oracle.
 */
import { DatabaseSync } from "node:sqlite";
import { fc } from "../fixed-seed.ts";
import { newFrame } from "../../src/expressions/evaluate.ts";
import type { Meaning } from "../../src/expressions/scope.ts";
import type { Frame, RecordValue, Value } from "../../src/expressions/value.ts";
import { expressionType } from "../../src/fields/type.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model } from "../../src/model/model.ts";
import { recordColumns, recordDecoder } from "../../src/store/sql/decode.ts";
import { type CompiledQuery, createCompiler } from "../../src/store/sql/queries.ts";
import { keysOf } from "../../src/store/rows/keys.ts";
import { encoderOf } from "../../src/store/sqlite/statements/columns.ts";
import { createKeyIndex, createTable, createUnique } from "../../src/store/sqlite/statements/ddl.ts";
import { sqliteDialect } from "../../src/store/sqlite/statements/dialect.ts";
import { registerFunctions } from "../../src/store/sqlite/statements/functions.ts";
import { jointKeyColumn, type Tables, tablesOf } from "../../src/store/tables.ts";
import type { Compiler } from "../../src/store/sql/environment.ts";
import type { Awaitable } from "../../src/support/awaitable.ts";
import { createPostgresReading } from "./postgres-reading.ts";
import { type Choices, valuesOf } from "./values.ts";
import type { Table } from "../../src/store/table.ts";

/** A database with the world's records. */
export interface Reading {
  readonly name: string;
  readonly compiler: Compiler;
  evaluate<T>(query: CompiledQuery<T>, frame: Frame): Awaitable<T[]>;
}

export interface World {
  readonly model: Model;
  readonly meaning: Meaning;
  readonly tables: Tables;
  readonly readings: readonly Reading[];
  readonly records: ReadonlyMap<string, readonly RecordValue[]>;
  readonly choices: Choices;
  close(): Promise<void>;
}

const ports = {
  randomBytes: (count: number) => new Uint8Array(count),
  now: () => Date.parse("2026-11-20T10:00:00.000Z"),
  token: (resource: string, record: RecordValue) => `token of ${resource} ${record?.["#row"]}`,
  verifyPassword: (stored: string, text: string) => stored === text,
  hashCredential: (text: string) => `hashed ${text}`,
  hashPassword: (text: string) => text,
};

export function frameOf(given: Parameters<typeof newFrame>[1]): Frame {
  return newFrame(ports, { now: "2026-11-20T10:00:00.000Z", ...given });
}

/**
 * Creates a world.
 * @param count the number of records of each resource that are tried; records that violate a
 * constraint of the tables are left out
 */
export async function createWorld(model: Model, seed: number, count: number): Promise<World> {
  const meaning = meaningOf(model);
  const tables = tablesOf(model);
  const keyOf = keysOf(tables.tables);
  const database = new DatabaseSync(":memory:");
  registerFunctions(database);
  for (const table of tables.tables) {
    database.exec(createTable(table, tables));
    for (const key of table.uniques) database.exec(createUnique(table, key));
    if (table.key) database.exec(createKeyIndex(table));
  }
  // References may be circular. A reference to a missing record is as good as any other.
  database.exec("PRAGMA foreign_keys = OFF");
  const made = new Map<string, Value[]>();
  const choices: Choices = { words: meaning.vocabulary, identifiers: (resource) => made.get(resource) ?? [] };
  fill(model, tables, database, seed, count, made, choices);
  const records = new Map(tables.tables.map((table) => [table.name, allOf(table, database, meaning)]));
  for (const [name, all] of records)
    made.set(
      name,
      all.map((record) => keyOf(name, record)),
    );
  const postgres = await createPostgresReading(meaning, tables, records);
  return {
    model,
    meaning,
    tables,
    readings: [sqliteReading(meaning, tables, database), postgres],
    records,
    choices,
    async close() {
      database.close();
      await postgres.close();
    },
  };
}

function sqliteReading(meaning: Meaning, tables: Tables, database: DatabaseSync): Reading {
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  return {
    name: "SQLite",
    compiler: createCompiler(meaning, tables, sqliteDialect),
    evaluate(query, frame) {
      let statement = statements.get(query.sql);
      if (!statement) {
        statement = database.prepare(query.sql);
        statement.setReturnArrays(true);
        statements.set(query.sql, statement);
      }
      const rows = statement.all(...query.bind(frame)) as unknown as unknown[][];
      return rows.map((row) => query.decode(row, frame));
    },
  };
}

/** Inserts records in two rounds, so that the second can refer to records of every resource. */
function fill(
  model: Model,
  tables: Tables,
  database: DatabaseSync,
  seed: number,
  count: number,
  made: Map<string, Value[]>,
  choices: Choices,
): void {
  const keyOf = keysOf(tables.tables);
  for (const round of [1, 2]) {
    for (const [at, table] of tables.tables.entries()) {
      const fields = model.resources.find((resource) => resource.name === table.name)?.fields ?? [];
      const columns = table.columns.map((column) => {
        const type = expressionType(
          fields.find((field) => field.name === column.name)?.type ?? { kind: "json" },
        );
        const encode = encoderOf(column, keyOf);
        const isNeeded = column.required || table.identifier.includes(column.name);
        return { name: column.name, encode, values: valuesOf(type, choices), isNeeded };
      });
      const names = columns.map((column) => `"${column.name}"`);
      if (table.key) names.push(`"${jointKeyColumn}"`);
      const insert = database.prepare(
        `INSERT INTO "${table.name}" (${names}) VALUES (${names.map(() => "?")})`,
      );
      const samples = columns.map((column, place) =>
        fc.sample(column.values, { seed: seed + round * 1000 + at * 50 + place, numRuns: count }),
      );
      for (let number = 0; number < count; number += 1) {
        const values = samples.map((sample) => sample[number] as Value);
        if (columns.some((column, place) => column.isNeeded && values[place] === null)) continue;
        const record = Object.fromEntries(columns.map(({ name }, place) => [name, values[place] as Value]));
        const key = keyOf(table.name, record);
        try {
          const stored = columns.map((column, place) => column.encode(values[place]));
          insert.run(...stored, ...(table.key ? [key as string] : []));
        } catch {
          continue;
        }
        made.set(table.name, [...(made.get(table.name) ?? []), key]);
      }
    }
  }
  for (const table of tables.tables)
    if (table.marked) database.exec(`UPDATE "${table.name}" SET "#deleted" = 1 WHERE "#row" % 4 = 0`);
}

function allOf(table: Table, database: DatabaseSync, meaning: Meaning): RecordValue[] {
  const select = database.prepare(
    `SELECT ${recordColumns(table).map((name) => `"${name}"`)} FROM "${table.name}" ORDER BY "#row"`,
  );
  select.setReturnArrays(true);
  return (select.all() as unknown as unknown[][]).map(
    recordDecoder(table, meaning.vocabulary, sqliteDialect),
  );
}
