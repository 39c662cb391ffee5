/**
 * `node:sqlite` for browsers, over SQLite's own WebAssembly build: the part of its interface that
 * the store uses, for databases in memory. Numbers are bound and returned as Node does, so that a
 * statement means the same in both.
 */
import init, { type Database, type PreparedStatement } from "@sqlite.org/sqlite-wasm";

const { capi, wasm, oo1 } = await init();

export type SQLOutputValue = null | number | bigint | string | Uint8Array;
export type SQLInputValue = SQLOutputValue;

interface FunctionOptions {
  readonly deterministic?: boolean;
  readonly varargs?: boolean;
}

const hasRow = 100;
const isDone = 101;

export class DatabaseSync {
  readonly #database: Database;
  #thrown: { readonly error: unknown } | undefined;

  /** @param path `:memory:`, because a browser has no file access */
  constructor(path: string, options: { readonly enableForeignKeyConstraints?: boolean } = {}) {
    if (path !== ":memory:") throw new Error("The playground keeps its store in memory only.");
    this.#database = new oo1.DB(":memory:");
    if (options.enableForeignKeyConstraints) this.exec("PRAGMA foreign_keys = ON");
  }

  get isOpen(): boolean {
    return this.#database.isOpen();
  }

  get isTransaction(): boolean {
    return capi.sqlite3_get_autocommit(this.#database) === 0;
  }

  exec(sql: string): void {
    this.check(capi.sqlite3_exec(this.#database, sql, 0, 0, 0));
  }

  prepare(sql: string): StatementSync {
    try {
      return new StatementSync(this, this.#database, this.#database.prepare(sql));
    } catch (error) {
      throw this.#thrown ? this.takeThrown() : sqliteError(this.#database, error);
    }
  }

  /** Registers a function in SQL. Its exceptions end the statement, which throws them. */
  function(
    name: string,
    options: FunctionOptions | ((...args: SQLOutputValue[]) => unknown),
    given?: (...args: SQLOutputValue[]) => unknown,
  ): void {
    const call = typeof options === "function" ? options : given;
    const { deterministic = false, varargs = false } = typeof options === "function" ? {} : options;
    if (!call) throw new TypeError("A function is needed.");
    this.#database.createFunction({
      name,
      arity: varargs ? -1 : call.length,
      deterministic,
      xFunc: (context: number, ...args: unknown[]) => {
        try {
          return resultOf(context, call(...(args as SQLOutputValue[])));
        } catch (error) {
          this.#thrown = { error };
          throw error;
        }
      },
    });
  }

  serialize(): Uint8Array {
    return capi.sqlite3_js_db_export(this.#database);
  }

  deserialize(content: Uint8Array): void {
    const place = wasm.allocFromTypedArray(content);
    const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE;
    const { byteLength } = content;
    this.check(capi.sqlite3_deserialize(this.#database, "main", place, byteLength, byteLength, flags));
  }

  close(): void {
    this.#database.close();
  }

  /**
   * @throws the exception of a function in the statement, or an error like Node's with SQLite's
   * code
   */
  check(code: number): void {
    if (code === 0 || code === hasRow || code === isDone) return;
    throw this.#thrown ? this.takeThrown() : sqliteError(this.#database);
  }

  takeThrown(): unknown {
    const { error } = this.#thrown ?? {};
    this.#thrown = undefined;
    return error;
  }
}

export class StatementSync {
  readonly #owner: DatabaseSync;
  readonly #database: Database;
  readonly #statement: PreparedStatement;
  #isInArrays = false;

  constructor(owner: DatabaseSync, database: Database, statement: PreparedStatement) {
    this.#owner = owner;
    this.#database = database;
    this.#statement = statement;
  }

  setReturnArrays(isOn: boolean): void {
    this.#isInArrays = isOn;
  }

  get(...values: SQLInputValue[]): unknown {
    return this.#run(values, () => (this.#step() ? this.#row() : undefined));
  }

  all(...values: SQLInputValue[]): unknown[] {
    return this.#run(values, () => {
      const rows: unknown[] = [];
      while (this.#step()) rows.push(this.#row());
      return rows;
    });
  }

  run(...values: SQLInputValue[]): { readonly changes: number; readonly lastInsertRowid: number } {
    return this.#run(values, () => {
      while (this.#step());
      return {
        changes: Number(capi.sqlite3_changes64(this.#database)),
        lastInsertRowid: Number(capi.sqlite3_last_insert_rowid(this.#database)),
      };
    });
  }

  #run<T>(values: readonly SQLInputValue[], read: () => T): T {
    try {
      for (const [at, value] of values.entries()) this.#bind(at + 1, value);
      return read();
    } finally {
      capi.sqlite3_reset(this.#statement);
      capi.sqlite3_clear_bindings(this.#statement);
    }
  }

  #bind(at: number, value: SQLInputValue): void {
    const statement = this.#statement;
    if (typeof value === "number") this.#owner.check(capi.sqlite3_bind_double(statement, at, value));
    else if (typeof value === "bigint") this.#owner.check(capi.sqlite3_bind_int64(statement, at, value));
    else statement.bind(at, value);
  }

  #step(): boolean {
    const code = capi.sqlite3_step(this.#statement);
    this.#owner.check(code);
    return code === hasRow;
  }

  #row(): unknown {
    const statement = this.#statement;
    const count = capi.sqlite3_column_count(statement);
    const values = Array.from({ length: count }, (_, at) => capi.sqlite3_column_js(statement, at));
    if (this.#isInArrays) return values;
    return Object.fromEntries(values.map((value, at) => [capi.sqlite3_column_name(statement, at), value]));
  }
}

/** A number is a REAL, as in Node; whole numbers are passed as `bigint`. */
function resultOf(context: number, value: unknown): unknown {
  if (typeof value !== "number") return value;
  capi.sqlite3_result_double(context, value);
  return undefined;
}

function sqliteError(database: Database, cause?: unknown): Error {
  const errcode = capi.sqlite3_extended_errcode(database);
  const message = String(capi.sqlite3_errmsg(database));
  return Object.assign(new Error(message, { cause }), {
    code: "ERR_SQLITE_ERROR",
    errcode,
    errstr: capi.sqlite3_errstr(errcode),
  });
}

export function backup(): never {
  throw new Error("The playground keeps its store in memory only.");
}
