/**
 * Environment of an expression that becomes SQL: where its names are bound.
 *
 * A name is bound in the frame (as a parameter), in a row of a FROM, or to an SQL expression. A
 * block is one SELECT under construction. References that are followed become joins of the block
 * that has their record.
 */
import type { Node } from "../../expressions/node.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { Type } from "../../expressions/type.ts";
import type { Dialect } from "./dialect.ts";
import { joined, type Sql, sql, textOf } from "./fragment.ts";
import type { Writers } from "./writing.ts";
import type { Table } from "../table.ts";

/** Facts about a statement, which become known while it is written. */
export interface StatementFacts {
  /**
   * Whether it iterates over many records or list elements. It can then be interrupted
   * (`Dialect.tick`).
   */
  ticks: boolean;
}

export interface Compiler {
  readonly statement: StatementFacts;
  readonly meaning: Meaning;
  readonly tables: ReadonlyMap<string, Table>;
  readonly dialect: Dialect;
  readonly writers: Writers;
  /** A new alias for an item of a FROM. */
  alias(letter: string): string;
}

export type Place =
  /** Has its own name in the frame. */
  | { readonly kind: "frame" }
  /** Replaced by another expression, which reads no row, in that expression's environment. */
  | { readonly kind: "node"; readonly node: Node; readonly environment: Environment }
  | RowPlace
  | { readonly kind: "value"; readonly sql: Sql; readonly type: Type; readonly block: Block };

export interface RowPlace {
  readonly kind: "row";
  readonly table: Table;
  readonly alias: string;
  readonly block: Block;
  /** Whether it is an outer join, so that the record may be missing. */
  readonly optional: boolean;
}

export interface Environment {
  readonly compiler: Compiler;
  readonly self: Place;
  readonly locals: ReadonlyMap<number, Place>;
  /** The SELECT under construction. */
  readonly block: Block;
  /** The number of enclosing bodies of shapes and computed fields. */
  readonly depth: number;
}

/** The maximum number of nested bodies of shapes and computed fields, which stops circular ones. */
const depthMax = 24;

/** A SELECT under construction: its FROM and WHERE so far. */
export class Block {
  /** The sources and their joins, in the order of their use. Each may refer to earlier ones. */
  readonly #from: Sql[] = [];
  readonly #joined = new Map<string, string>();
  readonly #conditions: Sql[] = [];

  add(item: Sql): void {
    // A CROSS JOIN would fix the join order in SQLite. A comma would bind more loosely than JOIN in
    // PostgreSQL.
    this.#from.push(this.#from.length === 0 ? sql` FROM ${item}` : sql` JOIN ${item} ON TRUE`);
  }

  where(condition: Sql): void {
    this.#conditions.push(condition);
  }

  /**
   * Lets the caller interrupt the statement at each row of this SELECT. It precedes the conditions,
   * so that rows that they reject count too.
   */
  tick({ dialect, statement }: Compiler, row: Sql): void {
    statement.ticks = true;
    const condition = dialect.tick(row);
    if (condition) this.#conditions.push(condition);
  }

  /** The alias of a referenced record, which is joined at its first use. */
  join(
    reference: Sql,
    table: Table,
    alias: (letter: string) => string,
    write: (alias: string) => Sql,
  ): string {
    const key = `${table.name} ${textOf(reference)}`;
    const known = this.#joined.get(key);
    if (known) return known;
    const name = alias("j");
    this.#joined.set(key, name);
    this.#from.push(sql` ${write(name)}`);
    return name;
  }

  /**
   * Writes ` FROM … WHERE …`; empty for a block without both.
   * @param further one more condition
   */
  tail(further?: Sql): Sql {
    const parts: Sql[] = [...this.#from];
    const conditions = further ? [...this.#conditions, further] : this.#conditions;
    if (conditions.length > 0) parts.push(sql` WHERE ${joined(conditions, " AND ")}`);
    return joined(parts, "");
  }
}

/**
 * Thrown for an expression that SQL can't express. The function compiler then evaluates it
 * (`hybrid-projection.ts`), if possible.
 */
export class NotInSql extends Error {
  override name = "NotInSql";
}

/** The environment of a body with this place as `this`, and without outer variables. */
export function enter(environment: Environment, self: Place): Environment {
  return { ...replacedBody(environment), self, locals: new Map() };
}

/** The environment inside a body that replaces its name. */
export function replacedBody(environment: Environment): Environment {
  if (environment.depth >= depthMax)
    throw new NotInSql("shapes or computed fields that are nested too deeply");
  return { ...environment, depth: environment.depth + 1 };
}

/**
 * The environment with one more variable.
 * @param depth the depth of the variable
 */
export function withLocal(environment: Environment, depth: number, place: Place): Environment {
  return { ...environment, locals: new Map(environment.locals).set(depth, place) };
}

/** The environment inside another SELECT. */
export function inBlock(environment: Environment, block: Block): Environment {
  return { ...environment, block };
}
