/**
 * Evaluates one expression on every record of a resource in each way that the engine does: as JSON,
 * as a condition, as an order, as a value.
 */
import { isDeepStrictEqual } from "node:util";
import { compareText, lowerAscii } from "../../src/expressions/text.ts";
import { CostExceeded, readsStore } from "../../src/expressions/evaluate.ts";
import { compareDecimals } from "../../src/expressions/decimal.ts";
import { isAnyCase } from "../../src/expressions/any-case.ts";
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
import type { Reading, World } from "./world.ts";

export interface Disagreement {
  readonly way: string;
  readonly row: number;
  readonly sql: string;
  readonly fromSql: unknown;
  readonly fromFunctions: unknown;
}

/** The number of ways that SQL rejected because only the engine has a function. They don't fail. */
export interface Outcome {
  readonly disagreements: readonly Disagreement[];
  readonly refused: readonly string[];
}

export const wires: readonly WireForm[] = [
  { timestamps: "milliseconds", nulls: true },
  { timestamps: "seconds", nulls: false },
  { timestamps: "microseconds", nulls: true },
  { timestamps: "seconds without zone", nulls: true },
  { timestamps: "unix seconds", nulls: true },
  { timestamps: "unix milliseconds", nulls: false },
  { timestamps: "RFC 2822", nulls: true },
];

/**
 * Compares all evaluations of an expression.
 * @param directions the directions of an order: whether it is descending; a random case tests one
 * of the two, which halves its cost
 */
export async function disagreements(
  node: Node,
  resource: string,
  frame: Frame,
  world: World,
  wire: WireForm,
  directions: readonly boolean[] = [false, true],
): Promise<Outcome> {
  const found: Disagreement[] = [];
  const refused: string[] = [];
  const wanted = once((of: Node, requested: Frame) => oracle(of, requested, world));
  const wantedJson = once((of: Node, requested: Frame) => oracleJson(of, requested, wire, world));
  for (const [way, evaluate] of Object.entries(ways)) {
    for (const reading of world.readings) {
      try {
        found.push(
          ...(await evaluate({
            node,
            resource,
            frame,
            world,
            wire,
            directions,
            reading,
            wanted,
            wantedJson,
          })),
        );
      } catch (error) {
        if (error instanceof NotInSql) refused.push(`${reading.name}, ${way}: ${error.message}`);
        else if (!(error instanceof CostExceeded)) throw error;
      }
    }
  }
  return { disagreements: found, refused };
}

/**
 * Memoizes the result of the functions for each record, because both databases are compared with
 * it.
 */
function once(work: (node: Node, frame: Frame) => Value): (node: Node, frame: Frame) => Value {
  const known = new Map<unknown, { readonly value?: Value; readonly error?: unknown }>();
  return (node, frame) => {
    let found = known.get(frame.this);
    if (!found) {
      try {
        found = { value: work(node, frame) };
      } catch (error) {
        found = { error };
      }
      known.set(frame.this, found);
    }
    if ("error" in found) throw found.error;
    return found.value as Value;
  };
}

interface Case {
  readonly node: Node;
  readonly resource: string;
  readonly frame: Frame;
  readonly world: World;
  readonly wire: WireForm;
  readonly directions: readonly boolean[];
  readonly reading: Reading;
  readonly wanted: (node: Node, frame: Frame) => Value;
  readonly wantedJson: (node: Node, frame: Frame) => Value;
}

type Way = (requested: Case) => Promise<Disagreement[]>;

const ways: Readonly<Record<string, Way>> = { json, condition, order, value };

async function json({
  node,
  resource,
  frame,
  world,
  wire,
  reading,
  wantedJson,
}: Case): Promise<Disagreement[]> {
  const query = compileShaped(
    { resource, where: [], order: [], includesDeleted: true },
    node,
    wire,
    reading.compiler,
  );
  const all = world.records.get(resource) ?? [];
  const rows = await reading.evaluate(query, frame);
  return rows.flatMap((row, at) => {
    const record = all[at] as RecordValue;
    const fromFunctions = wantedJson(node, { ...frame, this: record });
    const fromSql = JSON.parse(row.json);
    if (row.row === record["#row"] && isDeepStrictEqual(fromSql, fromFunctions)) return [];
    return [
      {
        way: `${reading.name}, json ${wire.timestamps} ${wire.nulls}`,
        row: record["#row"],
        sql: query.sql,
        fromSql,
        fromFunctions,
      },
    ];
  });
}

async function condition({ node, resource, frame, world, reading, wanted }: Case): Promise<Disagreement[]> {
  if (node.type.kind !== "boolean" && node.type.kind !== "any") return [];
  const query = compileRecords(
    { resource, where: [node], order: [], includesDeleted: true },
    reading.compiler,
  );
  const fromSql = (await reading.evaluate(query, frame)).map((record) => record["#row"]);
  const all = world.records.get(resource) ?? [];
  const fromFunctions = all
    .filter((record) => wanted(node, { ...frame, this: record }) === true)
    .map((record) => record["#row"]);
  return isDeepStrictEqual(fromSql, fromFunctions)
    ? []
    : [{ way: `${reading.name}, condition`, row: 0, sql: query.sql, fromSql, fromFunctions }];
}

async function order(requested: Case): Promise<Disagreement[]> {
  const { node, resource, frame, reading, directions } = requested;
  if (!isOrdered(node.type) || node.type.kind === "any" || node.type.kind === "null") return [];
  const found: Disagreement[] = [];
  for (const descending of directions) {
    const keys = [{ by: node, descending }];
    const fromFunctions = ordered(requested, descending);
    const query = compileRecords(
      { resource, where: [], order: keys, includesDeleted: true },
      reading.compiler,
    );
    const fromSql = (await reading.evaluate(query, frame)).map((record) => record["#row"]);
    if (!isDeepStrictEqual(fromSql, fromFunctions))
      found.push({
        way: `${reading.name}, order ${descending ? "down" : "up"}`,
        row: 0,
        sql: query.sql,
        fromSql,
        fromFunctions,
      });
    found.push(...(await seek(keys, requested, fromFunctions)));
  }
  return found;
}

/**
 * Compares pages that start at one record: they must have the records after it, or those before it,
 * nearest first.
 */
async function seek(
  keys: Parameters<typeof compileRecords>[0]["order"],
  { resource, frame, world, reading }: Case,
  rows: readonly number[],
): Promise<Disagreement[]> {
  const all = world.records.get(resource) ?? [];
  const literal: Node = { op: "literal", value: 1, type: { kind: "integer" } };
  const cursors = await reading.evaluate(
    compileShaped(
      { resource, where: [], order: keys, includesDeleted: true, withCursor: true },
      literal,
      wires[0] as WireForm,
      reading.compiler,
    ),
    frame,
  );
  const found: Disagreement[] = [];
  for (const way of ["after", "before"] as const) {
    const query = compileRecords(
      { resource, where: [], order: keys, includesDeleted: true, seek: way },
      reading.compiler,
    );
    const at = Math.floor(all.length / 3);
    const answer = await reading.evaluate(query, { ...frame, cursor: cursors[at]?.cursor ?? [] });
    const fromSql = answer.map((record) => record["#row"]);
    const fromFunctions = way === "after" ? rows.slice(at + 1) : rows.slice(0, at).reverse();
    if (!isDeepStrictEqual(fromSql, fromFunctions))
      found.push({ way: `${reading.name}, seek ${way}`, row: 0, sql: query.sql, fromSql, fromFunctions });
  }
  return found;
}

function ordered({ node, resource, frame, world, wanted }: Case, descending: boolean): readonly number[] {
  const fold = isAnyCase(node, world.meaning.vocabulary);
  const keyed = (world.records.get(resource) ?? []).map((record) => ({
    row: record["#row"],
    key: wanted(node, { ...frame, this: record }),
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

/**
 * Compares the value, evaluated on a record in memory, as the engine evaluates guards and effects.
 */
async function value({
  node,
  resource,
  frame,
  world,
  wire,
  reading,
  wanted,
  wantedJson,
}: Case): Promise<Disagreement[]> {
  if (!readsStore(node, world.meaning)) return [];
  const query = compileValue(node, reading.compiler);
  const text = compileJsonQuery(node, wire, reading.compiler);
  const found: Disagreement[] = [];
  for (const record of (world.records.get(resource) ?? []).slice(0, 2)) {
    const requested = { ...frame, this: record };
    const pairs = [
      {
        way: `${reading.name}, value`,
        sql: query.sql,
        fromSql: simple((await reading.evaluate(query, requested))[0] ?? null, node, world),
        fromFunctions: simple(wanted(node, requested), node, world),
      },
      {
        way: `${reading.name}, json of a value`,
        sql: text.sql,
        fromSql: JSON.parse((await reading.evaluate(text, requested))[0] as string),
        fromFunctions: wantedJson(node, requested),
      },
    ];
    const different = pairs.filter((pair) => !isDeepStrictEqual(pair.fromSql, pair.fromFunctions));
    found.push(...different.map((pair) => ({ ...pair, row: record["#row"] })));
  }
  return found;
}

/** Returns a value without prototypes and bytes, with records as their identifiers. */
function simple(of: Value, node: Node, world: World): unknown {
  const resourceOf = (record: RecordValue) =>
    [...world.records].find(([, all]) =>
      all.some((other) => isDeepStrictEqual({ ...other }, { ...record })),
    )?.[0] ?? "";
  const plain = (part: Value): unknown => {
    if (part instanceof Uint8Array) return [...part];
    if (Array.isArray(part)) return part.map(plain);
    if (part === null || typeof part !== "object") return part;
    if ("#row" in part) return plain(identifierIn(part, resourceOf(part as RecordValue), world.meaning));
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, plain(inner as Value)]));
  };
  if (node.type.kind === "record") return plain(identifierIn(of, node.type.resource, world.meaning));
  if (node.type.kind === "list" && node.type.of.kind === "record" && Array.isArray(of)) {
    const { resource } = node.type.of;
    return of.map((item: Value) => plain(identifierIn(item, resource, world.meaning)));
  }
  return plain(of);
}
