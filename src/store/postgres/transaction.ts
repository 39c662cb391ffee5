/** One write of a PostgreSQL store as its connection runs it. Which writes run when is `../group-commit.ts`'s. */
import type { Value } from "../../expressions/value.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { Hold } from "../group-commit.ts";
import { RecordTables } from "../rows/record-tables.ts";
import type { OwnQuery } from "../rows/session.ts";
import { type Answer, type Asked, change, isChange, type Row, runLater, type Steps } from "../rows/steps.ts";
import { type OwnStatements, ownStatements, type SystemState } from "../rows/system.ts";
import type { Ground, RunningWrite } from "../rows/transaction.ts";
import type { SqlValue } from "../sql/fragment.ts";
import { Conflict } from "../store.ts";
import type { Tables } from "../tables.ts";
import { type ForeignKey, foreignKeys, keyIndexName, uniqueName } from "./ddl.ts";
import { asReadFailure, isBehindFailure, isForeignKeyViolation, isUniqueViolation } from "./failures.ts";
import type { PostgresGroupTransaction } from "./group-transaction.ts";
import { postgresWords } from "./words.ts";

const constraints = {
  deferred: change({ sql: "SET CONSTRAINTS ALL DEFERRED" }, []),
  atOnce: change({ sql: "SET CONSTRAINTS ALL IMMEDIATE" }, []),
};

/** PostgreSQL's own statements over its tables: one for all stores. */
export const postgresStatements: OwnStatements = ownStatements(postgresWords);

interface Unique {
  readonly resource: string;
  readonly fields: readonly string[];
}

/** What all writes of a PostgreSQL store share. */
export class PostgresGround implements Ground {
  readonly tables: RecordTables;
  readonly statements = postgresStatements;
  readonly state: SystemState;
  /** By the names of indexes and constraints, by which PostgreSQL reports their breach. */
  readonly #uniques: ReadonlyMap<string, Unique>;
  readonly #foreignKeys: ReadonlyMap<string, ForeignKey>;

  constructor(tables: Tables, state: SystemState) {
    this.tables = new RecordTables(tables, postgresWords);
    this.state = state;
    this.#uniques = new Map(
      tables.tables.flatMap((table) => [
        ...table.uniques.map(
          (key) => [uniqueName(table, key), { resource: table.name, fields: key.columns }] as const,
        ),
        [keyIndexName(table), { resource: table.name, fields: table.identifier }] as const,
      ]),
    );
    this.#foreignKeys = new Map(foreignKeys(tables).map((key) => [key.name, key]));
  }

  deferForeignKeys(isDeferred: boolean): Asked {
    return isDeferred ? constraints.deferred : constraints.atOnce;
  }

  // biome-ignore lint/correctness/useYield: another database has to ask
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
    return new Conflict("in use", resource, this.tables.records(resource).table.identifier);
  }
}

export class PostgresWrite implements RunningWrite {
  readonly #group: PostgresGroupTransaction;
  readonly #hold: Hold;
  readonly #statementMs: number;
  /** What the write does may fail and the write go on: a handler catches what it likes. */
  readonly #isCautious: boolean;
  /** Why nothing behind it was done. */
  #failure: unknown;

  constructor(group: PostgresGroupTransaction, hold: Hold, statementMs: number, isCautious: boolean) {
    this.#isCautious = isCautious;
    this.#group = group;
    this.#hold = hold;
    this.#statementMs = statementMs;
  }

  /** Says beforehand that the write may wait for others than the database. */
  async mayWait(): Promise<void> {
    await this.#hold.beforeRead();
    await this.#trying(() => this.#group.mayWait());
  }

  async ask<T>(asked: Asked, read: (answer: Answer) => T): Promise<T> {
    return read(await this.#answer(asked));
  }

  run<T>(steps: Steps<T>): Promise<T> {
    const work = () => runLater(steps, (asked) => this.#answer(asked));
    return this.#isCautious ? this.#apart("steps", work) : work();
  }

  async askRows(query: OwnQuery<unknown>, values: () => SqlValue[]): Promise<readonly Row[]> {
    await this.#hold.beforeRead();
    const { rows } = await this.#trying(() => this.#group.connection.askRows(query, values()));
    return rows;
  }

  part<T>(depth: number, work: () => Awaitable<T>): Promise<T> {
    return this.#apart(`part_${depth}`, work);
  }

  async #apart<T>(name: string, work: () => Awaitable<T>): Promise<T> {
    await this.#hold.beforeChange();
    await this.#group.connection.command(`SAVEPOINT ${name}`);
    try {
      const result = await work();
      this.#hold.check();
      return result;
    } catch (error) {
      // Of a write that is over, or a group that is lost, everything is taken back already.
      this.#hold.check();
      await this.#group.connection.command(`ROLLBACK TO ${name}`);
      this.#failure = undefined;
      throw error;
    } finally {
      if (this.#hold.isGood) await this.#group.connection.command(`RELEASE ${name}`);
    }
  }

  async #answer(asked: Asked): Promise<Answer> {
    await (isChange(asked) ? this.#hold.beforeChange() : this.#hold.beforeRead());
    return this.#trying(() => this.#group.connection.ask(asked));
  }

  /** Behind a statement that has failed all others do, and say nothing of why. */
  async #trying<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (isBehindFailure(error) && this.#failure !== undefined) throw this.#failure;
      this.#failure ??= error;
      this.#hold.failed(error);
      throw asReadFailure(error, this.#statementMs);
    }
  }
}
