/** One expression asked of every record of a resource in each way in which the engine asks: as JSON, as a condition, as an order, as a value. */
import { isDeepStrictEqual } from "node:util";
import { compareText, lowerAscii } from "../../src/expressions/text.ts";
import { CostExceeded, readsStore } from "../../src/expressions/evaluate.ts";
import { compareDecimals } from "../../src/expressions/decimal.ts";
import { isAnyCase } from "../../src/expressions/compiling/operators.ts";
import type { Node } from "../../src/expressions/node.ts";
import { isOrdered } from "../../src/expressions/relations.ts";
import type { Frame, RecordValue, Value } from "../../src/expressions/value.ts";
import type { WireForm } from "../../src/expressions/write-json.ts";
import { NotInSql } from "../../src/store/sql/environment.ts";
import { identifierIn } from "../../src/store/sql/form.ts";
import {
  compileJsonQuery,
  compileRecords,
  compileShaped,
  compileValue,
} from "../../src/store/sql/queries.ts";
import { oracle, oracleJson } from "./oracle.ts";
import type { World } from "./world.ts";

export interface Disagreement {
  readonly way: string;
  readonly row: number;
  readonly sql: string;
  readonly fromSql: unknown;
  readonly fromFunctions: unknown;
}

/** Ways that SQL refused because a function is only ours; they are counted, not failed. */
export interface Outcome {
  readonly disagreements: readonly Disagreement[];
  readonly refused: readonly string[];
}

export const wires: readonly WireForm[] = [
  { timestamps: "milliseconds", nulls: true },
  { timestamps: "seconds", nulls: false },
  { timestamps: "microseconds", nulls: true },
  { timestamps: "unix seconds", nulls: true },
  { timestamps: "unix milliseconds", nulls: false },
  { timestamps: "RFC 2822", nulls: true },
];

export function disagreements(
  node: Node,
  resource: string,
  frame: Frame,
  world: World,
  wire: WireForm,
): Outcome {
  const found: Disagreement[] = [];
  const refused: string[] = [];
  for (const [way, ask] of Object.entries(ways)) {
    try {
      found.push(...ask(node, resource, frame, world, wire));
    } catch (error) {
      if (error instanceof NotInSql) refused.push(`${way}: ${error.message}`);
      else if (!(error instanceof CostExceeded)) throw error;
    }
  }
  return { disagreements: found, refused };
}

type Way = (node: Node, resource: string, frame: Frame, world: World, wire: WireForm) => Disagreement[];

const ways: Readonly<Record<string, Way>> = { json, condition, order, value };

function json(node: Node, resource: string, frame: Frame, world: World, wire: WireForm): Disagreement[] {
  const query = compileShaped(
    { resource, where: [], order: [], deletedToo: true },
    node,
    wire,
    world.compiler,
  );
  const all = world.records.get(resource) ?? [];
  const rows = world.ask(query, frame);
  return rows.flatMap((row, at) => {
    const record = all[at] as RecordValue;
    const fromFunctions = oracleJson(node, { ...frame, this: record }, wire, world);
    const fromSql = JSON.parse(row.json);
    if (row.row === record["#row"] && isDeepStrictEqual(fromSql, fromFunctions)) return [];
    return [
      {
        way: `json ${wire.timestamps} ${wire.nulls}`,
        row: record["#row"],
        sql: query.sql,
        fromSql,
        fromFunctions,
      },
    ];
  });
}

function condition(node: Node, resource: string, frame: Frame, world: World): Disagreement[] {
  if (node.type.kind !== "boolean" && node.type.kind !== "any") return [];
  const query = compileRecords({ resource, where: [node], order: [], deletedToo: true }, world.compiler);
  const fromSql = world.ask(query, frame).map((record) => record["#row"]);
  const all = world.records.get(resource) ?? [];
  const fromFunctions = all
    .filter((record) => oracle(node, { ...frame, this: record }, world) === true)
    .map((record) => record["#row"]);
  return isDeepStrictEqual(fromSql, fromFunctions)
    ? []
    : [{ way: "condition", row: 0, sql: query.sql, fromSql, fromFunctions }];
}

function order(node: Node, resource: string, frame: Frame, world: World): Disagreement[] {
  if (!isOrdered(node.type) || node.type.kind === "any" || node.type.kind === "null") return [];
  const found: Disagreement[] = [];
  for (const descending of [false, true]) {
    const keys = [{ by: node, descending }];
    const fromFunctions = ordered(node, descending, resource, frame, world);
    const query = compileRecords({ resource, where: [], order: keys, deletedToo: true }, world.compiler);
    const fromSql = world.ask(query, frame).map((record) => record["#row"]);
    if (!isDeepStrictEqual(fromSql, fromFunctions))
      found.push({
        way: `order ${descending ? "down" : "up"}`,
        row: 0,
        sql: query.sql,
        fromSql,
        fromFunctions,
      });
    found.push(...seek(keys, resource, frame, world, fromFunctions));
  }
  return found;
}

/** Going on from one record must give what stands behind it, and in front of it, the nearest first. */
function seek(
  keys: Parameters<typeof compileRecords>[0]["order"],
  resource: string,
  frame: Frame,
  world: World,
  rows: readonly number[],
): Disagreement[] {
  const all = world.records.get(resource) ?? [];
  const literal: Node = { op: "literal", value: 1, type: { kind: "integer" } };
  const cursors = world.ask(
    compileShaped(
      { resource, where: [], order: keys, deletedToo: true, withCursor: true },
      literal,
      wires[0] as WireForm,
      world.compiler,
    ),
    frame,
  );
  return (["after", "before"] as const).flatMap((way) => {
    const query = compileRecords(
      { resource, where: [], order: keys, deletedToo: true, seek: way },
      world.compiler,
    );
    const at = Math.floor(all.length / 3);
    const fromSql = world
      .ask(query, { ...frame, cursor: cursors[at]?.cursor ?? [] })
      .map((record) => record["#row"]);
    const fromFunctions = way === "after" ? rows.slice(at + 1) : rows.slice(0, at).reverse();
    return isDeepStrictEqual(fromSql, fromFunctions)
      ? []
      : [{ way: `seek ${way}`, row: 0, sql: query.sql, fromSql, fromFunctions }];
  });
}

function ordered(
  node: Node,
  descending: boolean,
  resource: string,
  frame: Frame,
  world: World,
): readonly number[] {
  const fold = isAnyCase(node, world.meaning.vocabulary);
  const keyed = (world.records.get(resource) ?? []).map((record) => ({
    row: record["#row"],
    key: oracle(node, { ...frame, this: record }, world),
  }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null)
      return a.key === b.key
        ? descending
          ? b.row - a.row
          : a.row - b.row
        : (a.key === null) !== descending
          ? 1
          : -1;
    const compared = compare(a.key, b.key, node, fold) || a.row - b.row;
    return descending ? -compared : compared;
  });
  return keyed.map(({ row }) => row);
}

function compare(a: Value, b: Value, node: Node, fold: boolean): number {
  if (node.type.kind === "decimal") return compareDecimals(a as string, b as string);
  if (typeof a === "string" && typeof b === "string")
    return fold ? compareText(lowerAscii(a), lowerAscii(b)) : compareText(a, b);
  return Number(a) - Number(b);
}

/** The value, asked of a record at hand: as the engine asks guards and effects. */
function value(node: Node, resource: string, frame: Frame, world: World, wire: WireForm): Disagreement[] {
  if (!readsStore(node, world.meaning)) return [];
  const query = compileValue(node, world.compiler);
  const text = compileJsonQuery(node, wire, world.compiler);
  return (world.records.get(resource) ?? []).slice(0, 4).flatMap((record) => {
    const asked = { ...frame, this: record };
    const pairs = [
      {
        way: "value",
        sql: query.sql,
        fromSql: simple(world.ask(query, asked)[0] ?? null, node, world),
        fromFunctions: simple(oracle(node, asked, world), node, world),
      },
      {
        way: "json of a value",
        sql: text.sql,
        fromSql: JSON.parse(world.ask(text, asked)[0] as string),
        fromFunctions: oracleJson(node, asked, wire, world),
      },
    ];
    return pairs
      .filter((pair) => !isDeepStrictEqual(pair.fromSql, pair.fromFunctions))
      .map((pair) => ({ ...pair, row: record["#row"] }));
  });
}

/** Values without prototypes and bytes, records as their identifiers. */
function simple(of: Value, node: Node, world: World): unknown {
  const resourceOf = (record: RecordValue) =>
    [...world.records].find(([, all]) =>
      all.some((other) => isDeepStrictEqual({ ...other }, { ...record })),
    )?.[0] ?? "";
  const plain = (one: Value): unknown => {
    if (one instanceof Uint8Array) return [...one];
    if (Array.isArray(one)) return one.map(plain);
    if (one === null || typeof one !== "object") return one;
    if ("#row" in one) return plain(identifierIn(one, resourceOf(one as RecordValue), world.meaning));
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, plain(inner as Value)]));
  };
  if (node.type.kind === "record") return plain(identifierIn(of, node.type.resource, world.meaning));
  if (node.type.kind === "list" && node.type.of.kind === "record" && Array.isArray(of)) {
    const { resource } = node.type.of;
    return of.map((one: Value) => plain(identifierIn(one, resource, world.meaning)));
  }
  return plain(of);
}
