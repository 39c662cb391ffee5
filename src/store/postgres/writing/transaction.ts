/**
 * Shared state of all writes of a PostgreSQL store: its tables with their statements, and its
 * constraints.
 */
import type { Value } from "../../../expressions/value.ts";
import { RecordTables } from "../../rows/record-tables.ts";
import type { OwnQuery } from "../../rows/session.ts";
import { type BoundStatement, change, type Statement, type Steps } from "../../rows/steps.ts";
import type { SystemState } from "../../rows/system.ts";
import type { StoreTables } from "../../rows/transaction.ts";
import { Conflict } from "../../store.ts";
import type { Tables } from "../../tables.ts";
import { type ForeignKey, foreignKeys, keyIndexName, uniqueName } from "../statements/ddl.ts";
import { isForeignKeyViolation, isUniqueViolation } from "../connection/failures.ts";
import { tableIdentifier } from "../statements/names.ts";
import { postgresRowDialect } from "../statements/row-dialect.ts";
import { type OwnStatements, ownStatements } from "../../rows/own-statements.ts";

const constraints = {
  deferred: change({ sql: "SET CONSTRAINTS ALL DEFERRED" }, []),
  atOnce: change({ sql: "SET CONSTRAINTS ALL IMMEDIATE" }, []),
};

/** The engine's statements in PostgreSQL, the same for all stores. */
export const postgresStatements: OwnStatements = ownStatements(postgresRowDialect);

interface Unique {
  readonly resource: string;
  readonly fields: readonly string[];
}

/** The tables, statements and constraints of a PostgreSQL store. */
export class PostgresTables implements StoreTables {
  readonly tables: RecordTables;
  readonly statements = postgresStatements;
  readonly state: SystemState;
  /**
   * Unique keys by the names of their indexes and constraints, which PostgreSQL reports on a
   * violation.
   */
  readonly #uniques: ReadonlyMap<string, Unique>;
  readonly #foreignKeys: ReadonlyMap<string, ForeignKey>;
  readonly #tableNames: readonly (readonly [string, string])[];
  readonly #resourcesOf = new WeakMap<Statement, readonly string[]>();

  constructor(tables: Tables, state: SystemState) {
    const keys = foreignKeys(tables);
    this.tables = new RecordTables(tables, postgresRowDialect, (table, { name }) =>
      keys.some(({ resource, column }) => resource === table.name && column === name),
    );
    this.state = state;
    this.#uniques = new Map(
      tables.tables.flatMap((table) => [
        ...table.uniques.map(
          (key) => [uniqueName(table, key), { resource: table.name, fields: key.columns }] as const,
        ),
        [keyIndexName(table), { resource: table.name, fields: table.identifier }] as const,
      ]),
    );
    this.#tableNames = tables.tables.map(({ name }) => [name, tableIdentifier(name)]);
    this.#foreignKeys = new Map(keys.map((key) => [key.name, key]));
  }

  /** The resources that a query reads, and perhaps others. */
  resourcesOf(query: Statement): readonly string[] {
    let found = this.#resourcesOf.get(query);
    if (!found) {
      found = this.#tableNames.filter(([, name]) => query.sql.includes(name)).map(([resource]) => resource);
      this.#resourcesOf.set(query, found);
    }
    return found;
  }

  /** The resource of a query that finds one record by its identifier and reads nothing else. */
  foundBy(query: OwnQuery<unknown>): string | undefined {
    if (query.finds === undefined) return undefined;
    // A second occurrence of the table reads other records, too.
    return query.sql.split(tableIdentifier(query.finds)).length === 2 ? query.finds : undefined;
  }

  deferForeignKeys(isDeferred: boolean): BoundStatement {
    return isDeferred ? constraints.deferred : constraints.atOnce;
  }

  // biome-ignore lint/correctness/useYield: another database has to query
  *conflictOf(
    error: unknown,
    resource: string,
    fields: Readonly<Record<string, Value>>,
  ): Steps<Conflict | undefined> {
    if (isUniqueViolation(error)) {
      const breach = this.#uniques.get(error.constraint ?? "");
      return breach && new Conflict("duplicate", breach.resource, breach.fields);
    }
    if (!isForeignKeyViolation(error)) return undefined;
    const key = this.#foreignKeys.get(error.constraint ?? "");
    if (key?.resource === resource && fields[key.column] != null)
      return new Conflict("unknown reference", resource, [key.column]);
    if (key) return new Conflict("in use", key.resource, [key.column]);
    // A newer instance has added a reference that this one doesn't know.
    return new Conflict("in use", resource, this.tables.records(resource).table.identifier);
  }
}
