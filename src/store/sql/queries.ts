/**
 * The engine's queries as statements: records, a count, counts per value, records in a shape, a
 * value, and JSON. Other rooms use only this file.
 */
import type { Node } from "../../expressions/node.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { types } from "../../expressions/type.ts";
import { partAt, type Frame, type RecordValue, type Value } from "../../expressions/value.ts";
import type { CountQuery, RecordsQuery, ShapedRow, ValueCount, WireForm } from "../store.ts";
import type { Tables } from "../tables.ts";
import { PostFilter, type SelectedRow } from "./post-filter.ts";
import { conditionOf, sqlOf } from "./writing.ts";
import { recordColumns, recordDecoder } from "./decode.ts";
import type { Dialect } from "./dialect.ts";
import { Block, type Compiler, type Environment, NotInSql } from "./environment.ts";
import { decoderOf } from "./form.ts";
import { finishStatement, joined, parameter, raw, type Sql, sql } from "./fragment.ts";
import { jsonOfRecords } from "./json.ts";
import { writers } from "./writers.ts";
import { type OrderKey, orderKeyOf, orderText, withPrefixKeys } from "./order.ts";
import { tableNamed } from "./record.ts";
import { isByIdentifier, mayCountMany, mayReadMany } from "./narrow-queries.ts";
import { cursorKeys, type CursorKey, cursorConditions } from "./seek.ts";
import { sourceOf } from "./source.ts";
import { hybridValueOf, type HybridJson, hybridJsonOf } from "./hybrid-projection.ts";
import type { Table } from "../table.ts";
import type { SqlValue } from "./sql-value.ts";

/** A query that is compiled once and executed often. */
export interface CompiledQuery<T> {
  readonly sql: string;
  /** The values of the statement's parameters, in order. */
  bind(frame: Frame): SqlValue[];
  /** Whether it may iterate over many records. It can then be interrupted (`Dialect.tick`). */
  readonly ticks: boolean;
  /** One of any number of queries, so that no connection keeps it prepared (`RecordsQuery.isComposed`). */
  readonly isComposed?: boolean;
  /**
   * The resource, if the query finds one whole record by its identifier. `#row` is then the first
   * column.
   */
  readonly finds?: string;
  /**
   * Runs first, in batches (`post-filter.ts`). It selects the records if the statement can't
   * express that.
   */
  readonly postFilter?: CompiledQuery<SelectedRow | undefined>;
  /**
   * Decodes one row of the result.
   * @param frame the frame of the execution, for what the function compiler writes outside the
   * database
   */
  decode(row: readonly unknown[], frame: Frame): T;
}

/**
 * Creates a compiler for queries.
 * @param tables the tables of the model to which `meaning` belongs
 */
export function createCompiler(meaning: Meaning, tables: Tables, dialect: Dialect): Compiler {
  const byName = new Map(tables.tables.map((table) => [table.name, table]));
  return { meaning, dialect, writers, tables: byName, ...ofStatement() };
}

/** Whole records. */
export function compileRecords(query: RecordsQuery, compiler: Compiler): CompiledQuery<RecordValue> {
  const own = fresh(compiler);
  const select = selectOf(query, own);
  const { dialect } = compiler;
  const columns = recordColumns(select.table).map((name) => sql`${select.alias}.${dialect.column(name)}`);
  const decode = recordDecoder(select.table, compiler.meaning.vocabulary, dialect);
  const found = composed(query, compiled(select.statement(columns), own, decode, select.postFilter));
  if (select.postFilter || !isByIdentifier(query, select.table)) return found;
  return { ...found, finds: select.table.name };
}

/** The number of records; with `limited`, at most the limit of the page. */
export function compileCount(query: CountQuery, compiler: Compiler): CompiledQuery<number> {
  const own = fresh(compiler);
  const select = selectOf({ ...query, order: [] }, own, (table) => mayCountMany(query, table));
  const statement = query.limited
    ? sql`SELECT count(*) FROM (${select.unordered([raw("1")])}${page(own.dialect)}) AS ${own.alias("c")}`
    : select.unordered([raw("count(*)")]);
  return composed(
    query,
    compiled(statement, own, ([count]) => Number(count), select.postFilter),
  );
}

/**
 * The number of records per value of a field. The statement reads all records, along an index of
 * the field if one exists.
 */
export function compileCounts(
  resource: string,
  field: string,
  compiler: Compiler,
): CompiledQuery<ValueCount> {
  const own = fresh(compiler);
  const select = selectOf({ resource, where: [], order: [] }, own, () => true);
  const column = sql`${select.alias}.${compiler.dialect.column(field)}`;
  const type = compiler.meaning.vocabulary.resource(resource)?.fields.get(field)?.type;
  const decode = decoderOf(type ?? types.string, compiler.meaning.vocabulary, compiler.dialect);
  return compiled(
    sql`${select.unordered([column, raw("count(*)")])} GROUP BY ${column}`,
    own,
    ([value, count]) => ({ value: decode(value), count: Number(count) }),
  );
}

/**
 * Records as JSON in a shape, with `item` evaluated for each record as `this`. It is one statement,
 * whatever the shape reads.
 */
export function compileShaped(
  query: RecordsQuery,
  item: Node,
  wire: WireForm,
  compiler: Compiler,
): CompiledQuery<ShapedRow> {
  const own = fresh(compiler);
  const select = selectOf(query, own);
  const writing = hybridJsonOf(item, select.environment, wire);
  const keys = query.withCursor ? select.keys : [];
  const hidden = [raw(`${select.alias}."#row"`), raw(`${select.alias}."#revision"`)];
  const statement = select.statement([...hidden, ...keys.map((key) => key.value), ...writing.columns]);
  const decode = shapedDecoder(keys, writing, query.withCursor === true);
  return composed(query, compiled(statement, own, decode, select.postFilter));
}

/** The record's row number and revision, then the cursor's keys, and the pieces of the shape. */
type ShapedColumns = readonly [row: number, revision: number, ...unknown[]];

function shapedDecoder(keys: readonly CursorKey[], writing: HybridJson, withCursor: boolean) {
  const first = 2 + keys.length;
  return (row: ShapedColumns, frame: Frame): ShapedRow => {
    const [made, revision] = row;
    const json = writing.write(row, first, frame);
    if (!withCursor) return { json, revision, row: made };
    return new RowInOrder(json, row, keys);
  };
}

/** Decodes its cursor on demand, because only a page's first and last rows need theirs. */
class RowInOrder implements ShapedRow {
  readonly json: string;
  readonly #row: ShapedColumns;
  readonly #keys: readonly CursorKey[];

  constructor(json: string, row: ShapedColumns, keys: readonly CursorKey[]) {
    this.json = json;
    this.#row = row;
    this.#keys = keys;
  }

  get row(): number {
    return this.#row[0];
  }

  get revision(): number {
    return this.#row[1];
  }

  get cursor(): readonly Value[] {
    return [...this.#keys.map((key, at) => key.decode(this.#row[at + 2])), this.row];
  }
}

/** The value of an expression that reads stored data. A collection returns whole records. */
export function compileValue(node: Node, compiler: Compiler): CompiledQuery<Value> {
  try {
    return compileWholeValue(node, compiler);
  } catch (error) {
    if (!(error instanceof NotInSql)) throw error;
  }
  const own = fresh(compiler);
  const environment = outermost(own);
  const made = hybridValueOf(node, environment);
  const columns = made.columns.length > 0 ? joined(made.columns, ", ") : raw("NULL");
  return compiled(sql`SELECT ${columns}${environment.block.tail()}`, own, (row, frame) =>
    made.read(row, 0, frame),
  );
}

function compileWholeValue(node: Node, compiler: Compiler): CompiledQuery<Value> {
  const own = fresh(compiler);
  const environment = outermost(own);
  const decode = decoderOf(node.type, compiler.meaning.vocabulary, compiler.dialect);
  const whole = isRecords(node) ? jsonOfRecords(sourceOf(node, environment)) : undefined;
  const value = whole ?? sqlOf(node, environment);
  return compiled(sql`SELECT ${value} AS v${environment.block.tail()}`, own, ([stored]) => decode(stored));
}

function isRecords(node: Node): boolean {
  return node.op === "collection" || (node.op === "macro" && node.type.kind === "collection");
}

/** An expression as JSON text. */
export function compileJsonQuery(node: Node, wire: WireForm, compiler: Compiler): CompiledQuery<string> {
  const own = fresh(compiler);
  const environment = outermost(own);
  const writing = hybridJsonOf(node, environment, wire);
  const columns = writing.columns.length > 0 ? joined(writing.columns, ", ") : raw("NULL");
  return compiled(sql`SELECT ${columns}${environment.block.tail()}`, own, (row, frame) =>
    writing.write(row, 0, frame),
  );
}

/** Restarts the aliases for a statement, so that equal queries have equal texts. */
function fresh(compiler: Compiler): Compiler {
  return { ...compiler, ...ofStatement() };
}

function ofStatement(): Pick<Compiler, "alias" | "statement"> {
  let aliases = 0;
  return {
    statement: { ticks: false },
    alias(letter) {
      aliases += 1;
      return `${letter}${aliases}`;
    },
  };
}

function outermost(compiler: Compiler): Environment {
  return { compiler, self: { kind: "frame" }, locals: new Map(), block: new Block(), depth: 0 };
}

/** Marks the statements of a query that requests compose. */
function composed<T>(
  { isComposed }: Pick<RecordsQuery, "isComposed">,
  { postFilter, ...query }: CompiledQuery<T>,
): CompiledQuery<T> {
  if (!isComposed) return postFilter ? { ...query, postFilter } : query;
  return { ...query, isComposed, ...(postFilter ? { postFilter: { ...postFilter, isComposed } } : {}) };
}

function compiled<T>(
  statement: Sql,
  compiler: Compiler,
  decode: CompiledQuery<T>["decode"],
  postFilter?: CompiledQuery<SelectedRow | undefined>,
): CompiledQuery<T> {
  const { text, bind } = finishStatement(statement, compiler.dialect.parameter);
  return { sql: text, ticks: compiler.statement.ticks, bind, decode, ...(postFilter && { postFilter }) };
}

// ── Records of one resource ─────────────────────────────────────────────────────────────────────

interface Select {
  readonly table: ReturnType<typeof tableNamed>;
  readonly alias: string;
  readonly environment: Environment;
  readonly keys: readonly CursorKey[];
  readonly postFilter: CompiledQuery<SelectedRow | undefined> | undefined;
  statement(columns: readonly Sql[]): Sql;
  unordered(columns: readonly Sql[]): Sql;
}

function selectOf(
  query: RecordsQuery,
  compiler: Compiler,
  mayBeMany = (table: Table): boolean => mayReadMany(query, table),
): Select {
  const outer = outermost(compiler);
  const table = tableNamed(query.resource, outer);
  const alias = compiler.alias("r");
  const { block } = outer;
  block.add(sql`${compiler.dialect.table(table.name)} AS ${alias}`);
  if (mayBeMany(table)) block.tick(compiler, raw(`${alias}."#row"`));
  const ofRecords: Environment = { ...outer, self: { kind: "row", table, alias, block, optional: false } };
  if (table.marked && !query.includesDeleted)
    block.where(compiler.dialect.isUnmarked(raw(`${alias}."#deleted"`)));
  const { environment, by, order, postFilter } = judged(query, alias, ofRecords, block);
  const keys = query.seek || query.withCursor ? cursorKeys(by, environment) : [];
  const sought = query.seek ? cursorConditions(query.seek, keys, order, environment) : [];
  const ordered = withPrefixKeys(query.seek === "before" ? order.map(reversed) : order);
  const unordered = (columns: readonly Sql[]) => sql`SELECT ${joined(columns, ", ")}${block.tail()}`;
  return {
    table,
    alias,
    environment,
    keys,
    postFilter,
    unordered,
    statement(columns) {
      const { dialect } = compiler;
      const limit = query.limited ? page(dialect) : sql``;
      const rowLimit =
        query.limited && dialect.plansByLimits && !query.skips ? mostOf(query, dialect) : undefined;
      if (sought.length > 1)
        return sql`${unionOf(sought, columns, ordered, block, dialect, rowLimit)}${limit}`;
      for (const condition of sought) block.where(condition);
      const all = sql`${unordered(columns)} ${orderText(ordered, dialect)}`;
      if (rowLimit?.isKnown !== true) return sql`${all}${limit}`;
      return sql`SELECT * FROM (${all}${dialect.limit(rowLimit.rows)}) AS ${raw(compiler.alias("p"))}${limit}`;
    },
  };
}

/**
 * Several sets of records as one list. Each is a separate SELECT, so that each can use an index.
 * The database merges them in order, and stops when the page is full.
 */
function unionOf(
  sets: readonly Sql[],
  columns: readonly Sql[],
  order: readonly OrderKey[],
  block: Block,
  dialect: Dialect,
  rowLimit: Most | undefined,
): Sql {
  const all = joined([...columns, ...order.map((orderKey) => orderKey.key)], ", ");
  const selects = sets.map((set) => {
    const select = sql`SELECT ${all}${block.tail(set)}`;
    return rowLimit ? sql`(${select} ${orderText(order, dialect)}${dialect.limit(rowLimit.rows)})` : select;
  });
  const places = order.map((orderKey, at) => ({ ...orderKey, key: raw(String(columns.length + at + 1)) }));
  return sql`${joined(selects, " UNION ALL ")} ${orderText(places, dialect)}`;
}

interface Judged {
  /** The environment with the names of the values that the post-filter computed. */
  readonly environment: Environment;
  readonly by: RecordsQuery["order"];
  readonly order: readonly OrderKey[];
  readonly postFilter: CompiledQuery<SelectedRow | undefined> | undefined;
}

/** Writes the conditions of a query into the block of its records, and determines its order. */
function judged(query: RecordsQuery, alias: string, environment: Environment, block: Block): Judged {
  const postFilter = new PostFilter(environment);
  for (const condition of query.where.flatMap(conjuncts))
    orPostFilter(
      () => block.where(conditionOf(condition, environment)),
      (refusal) => postFilter.addCondition(condition, refusal),
    );
  const tried = query.order.map(({ by, descending }) =>
    orPostFilter<{ readonly by: Node; readonly descending: boolean; readonly key?: OrderKey }>(
      () => ({ by, descending, key: orderKeyOf(by, descending, environment) }),
      (refusal) => ({ by: postFilter.addKey(by, refusal), descending }),
    ),
  );
  const last: OrderKey = { key: raw(`${alias}."#row"`), descending: descendsAtLast(query), nulls: "none" };
  const bound = postFilter.isNeeded
    ? candidatesOf(postFilter, last.key, block, environment.compiler)
    : undefined;
  const inner = bound ? postFilter.join(last.key, block) : environment;
  const order = tried.map(({ by, descending, key }) => key ?? orderKeyOf(by, descending, inner));
  return { environment: inner, by: tried, order: [...order, last], postFilter: bound };
}

function descendsAtLast(query: RecordsQuery): boolean {
  return query.order.at(-1)?.descending ?? query.newestFirst === true;
}

function candidatesOf(postFilter: PostFilter, row: Sql, block: Block, compiler: Compiler) {
  compiler.statement.ticks = true;
  return compiled(postFilter.candidates(row, block), compiler, postFilter.decode);
}

/**
 * Evaluates something in the database, or uses the alternative if the database can't express it.
 */
function orPostFilter<T>(evaluate: () => T, instead: (refusal: unknown) => T): T {
  try {
    return evaluate();
  } catch (refusal) {
    return instead(refusal);
  }
}

/** The operands of `&&` as separate conditions, so that each can use an index. */
function conjuncts(node: Node): readonly Node[] {
  return node.op === "and" ? [...conjuncts(node.left), ...conjuncts(node.right)] : [node];
}

function reversed(key: OrderKey): OrderKey {
  const nulls = key.nulls === "last" ? "first" : key.nulls === "first" ? "last" : "none";
  return { ...key, descending: !key.descending, nulls };
}

function page(dialect: Dialect): Sql {
  return dialect.limit(
    pageLimit(dialect.noLimit),
    parameter("page offset", "integer", pageNumber("offset", 0n)),
  );
}

function pageLimit(noLimit: SqlValue): Sql {
  return parameter("page limit", "integer", pageNumber("limit", noLimit));
}

/** The maximum number of rows that a page needs of a set of records. */
interface Most {
  readonly rows: Sql;
  /** Whether it is a literal in the statement, which then has a single plan. */
  readonly isKnown: boolean;
}

/**
 * If conditions determine how many records are selected, a single plan would be bad for some
 * values, so the limit is bound.
 */
function mostOf({ where, limitMax }: RecordsQuery, { noLimit }: Dialect): Most {
  if (where.length > 0 || limitMax === undefined) return { rows: pageLimit(noLimit), isKnown: false };
  return { rows: raw(String(limitMax)), isKnown: true };
}

function pageNumber(name: "limit" | "offset", otherwise: SqlValue): (frame: Frame) => SqlValue {
  return (frame) => {
    const value = partAt(frame.page, [name]);
    return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : otherwise;
  };
}
