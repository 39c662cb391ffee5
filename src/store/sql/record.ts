/** Records in SQL: their identifiers and columns, references to them, and `this` in a body. */
import type { Node } from "../../expressions/node.ts";
import { keyColumn } from "../tables.ts";
import { bound, presenceParameter } from "./bound.ts";
import {
  Block,
  enter,
  type Environment,
  inBlock,
  NotInSql,
  type Place,
  type RowPlace,
} from "./environment.ts";
import { dependsOnRows, isAtHand, mustBeSql } from "./facts.ts";
import { type Sql, sql } from "./fragment.ts";
import { elementOfList, sqlOf } from "./writing.ts";
import type { Table } from "../table.ts";

/** The table of a resource. */
export function tableNamed(resource: string, environment: Environment): Table {
  const table = environment.compiler.tables.get(resource);
  if (!table) throw new NotInSql(`records of ${resource}, which have no table`);
  return table;
}

/** A column of a record's row, in its form. */
export function columnOf(place: RowPlace, name: string, { compiler: { dialect } }: Environment): Sql {
  const column = sql`${place.alias}.${dialect.column(name)}`;
  const storage = place.table.columns.find((candidate) => candidate.name === name)?.storage;
  return storage ? dialect.stored(column, storage) : column;
}

/**
 * The key of a record, which represents it in comparisons and results; null if there is no record.
 */
function identifierOf(place: RowPlace, environment: Environment): Sql {
  const key = keyColumn(place.table);
  if (key === undefined) throw new NotInSql(`the identifier of ${place.table.name}, which is not shown`);
  return columnOf(place, key, environment);
}

/** The row of a referenced record, joined to the SELECT that has the reference. */
function rowBehind(reference: Sql, resource: string, block: Block, environment: Environment): RowPlace {
  const { compiler } = environment;
  const table = tableNamed(resource, environment);
  const write = (alias: string) =>
    sql`LEFT JOIN ${compiler.dialect.table(table.name)} AS ${alias} ON ${leadsTo(reference, table, alias, environment)}`;
  return {
    kind: "row",
    table,
    alias: block.join(reference, table, compiler.alias, write),
    block,
    optional: true,
  };
}

function leadsTo(reference: Sql, table: Table, alias: string, { compiler: { dialect } }: Environment): Sql {
  const key = keyColumn(table);
  if (key === undefined) throw new NotInSql(`a reference to ${table.name}, whose identifier is not shown`);
  const column = sql`${alias}.${dialect.column(key)}`;
  const isAnyCase = table.columns.some((candidate) => candidate.name === key && candidate.anyCase);
  if (!isAnyCase) return sql`${column} = ${reference}`;
  // A collation of the column applies already, if the database has one.
  return sql`${dialect.anyCaseToo(column)} = ${dialect.anyCaseToo(reference)}`;
}

/** Writes SQL with a record or a value as `this`; null if it doesn't exist. */
export function withSelf(of: Node, environment: Environment, write: (inner: Environment) => Sql): Sql {
  return withPlace(of, environment, (place, outer) =>
    whereThere(place, write(enter(outer, place)), environment),
  );
}

type Write = (place: Place, inner: Environment) => Sql;

/** Writes SQL with the place of a record or a value, in the environment of that place. */
export function withPlace(of: Node, environment: Environment, write: Write): Sql {
  const place = placeNamed(of, environment);
  if (place) return write(place, environment);
  if (!mustBeSql(of, environment) && isAtHand(of, environment.compiler.meaning))
    return write({ kind: "node", node: of, environment }, environment);
  if (of.type.kind === "record") return withRecord(of, of.type.resource, environment, write);
  return withValue(of, environment, write);
}

/** The place of a name: its row, or the frame's record. */
function placeNamed(of: Node, environment: Environment): Place | undefined {
  const place = nameIn(of, environment);
  if (!place) return undefined;
  if (place.kind === "frame") return { kind: "node", node: of, environment };
  if (place.kind !== "value" || of.type.kind !== "record") return place;
  return rowBehind(place.sql, of.type.resource, place.block, environment);
}

/** The place of a name, such as `this` or a variable; undefined for any other node. */
export function nameIn(node: Node, environment: Environment): Place | undefined {
  switch (node.op) {
    case "fixed":
      return node.name === "this" ? environment.self : { kind: "frame" };
    case "named":
    case "parameter":
      return { kind: "frame" };
    case "local":
      return environment.locals.get(node.depth) ?? { kind: "frame" };
    default:
      return undefined;
  }
}

function withRecord(of: Node, resource: string, environment: Environment, write: Write): Sql {
  if (of.op === "macro" && (of.macro === "first" || of.macro === "last")) {
    return elementOfList(of, environment, (item, inner) => writeElement(item, resource, inner, write));
  }
  if (dependsOnRows(of, environment)) {
    return write(rowBehind(sqlOf(of, environment), resource, environment.block, environment), environment);
  }
  // It depends on no outer row, so it is looked up once, and not joined to each row.
  const table = tableNamed(resource, environment);
  const block = new Block();
  const alias = environment.compiler.alias("r");
  block.add(sql`${environment.compiler.dialect.table(table.name)} AS ${alias}`);
  block.where(leadsTo(sqlOf(of, environment), table, alias, environment));
  const place: RowPlace = { kind: "row", table, alias, block, optional: false };
  const written = write(place, inBlock(environment, block));
  return sql`(SELECT ${written}${block.tail()})`;
}

function writeElement(element: Place, resource: string, inner: Environment, write: Write): Sql {
  if (element.kind !== "value") return write(element, inner);
  return write(rowBehind(element.sql, resource, element.block, inner), inner);
}

function withValue(of: Node, environment: Environment, write: Write): Sql {
  const value = sqlOf(of, environment);
  if (of.op === "field") {
    return write({ kind: "value", sql: value, type: of.type, block: environment.block }, environment);
  }
  // Evaluated once, however often the body uses it.
  const block = new Block();
  const alias = environment.compiler.alias("v");
  block.add(sql`(SELECT ${value} AS v) AS ${alias}`);
  const place: Place = { kind: "value", sql: sql`${alias}.v`, type: of.type, block };
  const written = write(place, inBlock(environment, block));
  return sql`(SELECT ${written}${block.tail()})`;
}

/** Part 4, null: an operation on null is null. */
function whereThere(place: Place, written: Sql, environment: Environment): Sql {
  const [needed] = presenceOf(place, environment);
  return needed ? sql`CASE WHEN ${needed} IS NOT NULL THEN ${written} END` : written;
}

/**
 * Values that are null if the record or the value of a place is missing; empty if it always exists.
 */
export function presenceOf(place: Place, environment: Environment): readonly Sql[] {
  switch (place.kind) {
    case "row":
      return place.optional ? [columnOf(place, "#row", environment)] : [];
    case "value":
      return [place.sql];
    case "node":
      return [presenceParameter(place.node, place.environment)];
    case "frame":
      return [];
  }
}

/** The value of a name that is bound in SQL. */
export function valueOfPlace(place: Place, node: Node, environment: Environment): Sql {
  switch (place.kind) {
    case "row":
      return identifierOf(place, environment);
    case "value":
      return place.sql;
    default:
      return bound(node, environment);
  }
}

/** Whether a value is never null, so that its order needs no position for nulls. */
export function isNeverNull(node: Node, environment: Environment): boolean {
  if (node.op === "literal") return node.value !== null;
  if (node.op !== "field") return false;
  const place = nameIn(node.of, environment);
  if (place?.kind !== "row" || place.optional) return false;
  return (
    node.name === "#row" || place.table.columns.some((column) => column.name === node.name && column.required)
  );
}
