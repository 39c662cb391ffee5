/**
 * Post-filter: conditions and orders that a database can't express, if it can't call the function
 * compiler's code either (`Dialect.operation`).
 *
 * A separate statement reads their inputs in batches, for each record that the other conditions
 * accept. The functions select the records and compute their sort keys, and the main statement
 * joins the result. So pages, counts, cursors and shapes are the same as if the database had done
 * all the work.
 */
import { callsFunctionMissingInSql } from "../../expressions/compiling/mixed-expressions.ts";
import type { Node } from "../../expressions/node.ts";
import { lowerAscii } from "../../expressions/text.ts";
import type { Type } from "../../expressions/type.ts";
import type { Frame, Value } from "../../expressions/value.ts";
import { bareObject } from "../../support/bare-object.ts";
import { isAnyCase } from "./case.ts";
import { type Block, type Environment, NotInSql, withLocal } from "./environment.ts";
import { encoderOf, formOf } from "./form.ts";
import { joined, parameter, raw, type Sql, sql } from "./fragment.ts";
import { type HybridValue, hybridValueOf } from "./hybrid-projection.ts";
import type { SqlValue } from "./sql-value.ts";

/** A selected record: its row, and its sort keys. */
export type SelectedRow = readonly [row: number, ...keys: SqlValue[]];

/** The number of records that one step examines. Nothing else runs during a step. */
export const postFilterStep = 500;

/**
 * The depth of variables for computed sort keys. It is greater than that of any macro in an
 * expression.
 */
const keyDepth = 2000;

const afterName = "#postFilter after";
const pickedName = "#postFilter picked";

/** The frame of the step that continues after a row. */
export function frameOfStep(frame: Frame, after: number): Frame {
  return { ...frame, named: namesWith(frame, afterName, after), locals: [...frame.locals] };
}

/** The frame of the main statement. */
export function selectedFrame(frame: Frame, picked: readonly SelectedRow[]): Frame {
  return { ...frame, named: namesWith(frame, pickedName, JSON.stringify(picked)) };
}

function namesWith(frame: Frame, name: string, value: Value): Frame["named"] {
  return Object.assign(bareObject(), frame.named, { [name]: value });
}

interface Key {
  readonly made: HybridValue;
  readonly node: Node;
  readonly type: Type;
}

/** The conditions and orders of one query that functions evaluate. */
export class PostFilter {
  readonly #environment: Environment;
  readonly #conditions: HybridValue[] = [];
  readonly #keys: Key[] = [];

  /** @param environment that of the records, whose block is still under construction */
  constructor(environment: Environment) {
    this.#environment = environment;
  }

  get isNeeded(): boolean {
    return this.#conditions.length + this.#keys.length > 0;
  }

  /**
   * Adds a condition.
   * @param refusal why the database can't evaluate it; thrown if functions can't either
   */
  addCondition(condition: Node, refusal: unknown): void {
    this.#conditions.push(this.#made(condition, refusal));
  }

  /** Adds a sort key, and returns the node that represents its values. */
  addKey(node: Node, refusal: unknown): Node {
    const depth = keyDepth + this.#keys.length;
    this.#keys.push({ made: this.#made(node, refusal), node, type: node.type });
    return { op: "local", name: "#postFilter", depth, type: node.type };
  }

  #made(node: Node, refusal: unknown): HybridValue {
    const { dialect, meaning } = this.#environment.compiler;
    if (!(refusal instanceof NotInSql) || !dialect.isPostFilter) throw refusal;
    // An operation with the service's keys, slow hashes or handlers must not run for each record.
    if (callsFunctionMissingInSql(node, meaning))
      throw new NotInSql(`${refusal.message}, together with a function of our own`);
    return hybridValueOf(node, this.#environment);
  }

  /** The statement that reads the inputs of the functions. Call it before `join`. */
  candidates(row: Sql, block: Block): Sql {
    const columns = [...this.#conditions, ...this.#keys.map(({ made }) => made)].flatMap(
      (made) => made.columns,
    );
    const after = parameter(afterName, "integer", ({ named }) => named[afterName] as number);
    const limit = this.#environment.compiler.dialect.limit(raw(String(postFilterStep)));
    return sql`SELECT ${joined([row, ...columns], ", ")}${block.tail(sql`${row} > ${after}`)} ORDER BY ${row}${limit}`;
  }

  /** Evaluates the functions on one of its rows. Undefined if a condition rejects the record. */
  get decode(): (row: readonly unknown[], frame: Frame) => SelectedRow | undefined {
    const { meaning, dialect } = this.#environment.compiler;
    let first = 1;
    const placed = (made: HybridValue) => {
      const at = first;
      first += made.columns.length;
      return (row: readonly unknown[], frame: Frame) => made.read(row, at, frame);
    };
    const conditions = this.#conditions.map(placed);
    const keys = this.#keys.map(({ made, node, type }) => {
      const read = placed(made);
      const encode = encoderOf(type, meaning, dialect);
      const isFolded = isAnyCase(node, this.#environment);
      return (row: readonly unknown[], frame: Frame): SqlValue => {
        const value = read(row, frame);
        return encode(isFolded && typeof value === "string" ? lowerAscii(value) : value);
      };
    });
    return (row, frame) => {
      if (!conditions.every((holds) => holds(row, frame) === true)) return undefined;
      return [Number(row[0]), ...keys.map((key) => key(row, frame))];
    };
  }

  /**
   * Restricts the block to the selected records. Returns the environment in which the nodes of the
   * sort keys have the computed values.
   */
  join(row: Sql, block: Block): Environment {
    const { dialect, meaning, alias } = this.#environment.compiler;
    const name = alias("g");
    const picked = parameter(pickedName, "json", ({ named }) => named[pickedName] as string);
    const part = (at: number, form: ReturnType<typeof formOf>) =>
      dialect.jsonPart(dialect.jsonElement(name, "json"), [at], form);
    block.add(dialect.jsonEach(picked, name, "list"));
    block.where(sql`${row} = ${part(0, "integer")}`);
    return this.#keys.reduce(
      (environment, { type }, at) =>
        withLocal(environment, keyDepth + at, {
          kind: "value",
          sql: part(at + 1, formOf(type, meaning.vocabulary)),
          type,
          block,
        }),
      this.#environment,
    );
  }
}
