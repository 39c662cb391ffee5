/**
 * Writes expressions as JSON text in the database, key by key. So a page of records with computed
 * fields, references and lists is one statement.
 *
 * It concatenates text and uses no JSON function of the database, because databases differ in
 * numbers and nested JSON. With a wire form, the result equals that of the function compiler's
 * `writeJson`. Without one, values have their run-time form.
 */
import { bodyOf } from "../../expressions/analysis/bodies.ts";
import { mergeValues, mergeWritten } from "../../expressions/writing/merge-values.ts";
import { isBuilt } from "../../expressions/nodes.ts";
import { compileJson } from "../../expressions/write-json.ts";
import type { MapEntry, Node } from "../../expressions/node.ts";
import { type Type, types } from "../../expressions/type.ts";
import type { WireForm } from "../store.ts";
import { boundJson, boundRuntimeJson } from "./bound.ts";
import { conditionOf, sqlOf } from "./writing.ts";
import type { Operation } from "./dialect.ts";
import { enter, type Environment, NotInSql, type Place, type RowPlace } from "./environment.ts";
import { mustBeSql } from "./facts.ts";
import { joined, type Sql, sql } from "./fragment.ts";
import {
  concatenated,
  type Entry,
  type Json,
  nullableJson,
  type Piece,
  nonNullJson,
  writeEntries,
  writtenPieces,
} from "./json-pieces.ts";
import { textOfValue } from "./json-values.ts";
import { operationFrame } from "./operation.ts";
import { isComparison } from "./operators.ts";
import { orderText } from "./order.ts";
import { columnOf, presenceOf, valueOfPlace, withPlace, withSelf } from "./record.ts";
import { elementNode, type Source, sourceOf } from "./source.ts";

/** The JSON text of a node; SQL's null for null. */
export function jsonOf(node: Node, environment: Environment, wire: WireForm | undefined): Sql {
  return concatenated(write(node, environment, wire).pieces, environment);
}

/** The JSON text of a node; `null` for null. */
export function writtenJsonOf(node: Node, environment: Environment, wire: WireForm | undefined): Sql {
  return concatenated(writtenPieces(write(node, environment, wire), environment), environment);
}

function write(node: Node, environment: Environment, wire: WireForm | undefined): Json {
  if (!mustBeSql(node, environment)) return writeBound(node, environment, wire);
  switch (node.op) {
    case "if": {
      const then = write(node.then, environment, wire);
      const otherwise = write(node.else, environment, wire);
      const text = sql`CASE WHEN ${conditionOf(node.condition, environment)} THEN ${concatenated(then.pieces, environment)} ELSE ${concatenated(otherwise.pieces, environment)} END`;
      return then.nullable || otherwise.nullable ? nullableJson(text) : nonNullJson(text);
    }
    case "list": {
      const items = node.items.map((item) => writtenPieces(write(item, environment, wire), environment));
      return nonNullJson("[", ...items.flatMap((item, at) => (at === 0 ? item : [",", ...item])), "]");
    }
    case "map":
      return writeEntries(
        node.entries.map((entry) => entryOf(entry, environment, wire)),
        environment,
        wire,
      );
    case "representation":
    case "shape":
      return writeShape(node, environment, wire);
    case "call":
      if (node.function === "merge") return writeMerged(node, environment, wire);
      if (node.function === "or") return writeFirst(node, environment, wire);
      break;
    case "collection":
      return writeSource(sourceOf(node, environment), wire);
    case "macro":
      if (lists.has(node.macro)) return writeSource(sourceOf(node, environment), wire);
  }
  if (isSure(node))
    return nonNullJson(sql`CASE WHEN ${conditionOf(node, environment)} THEN 'true' ELSE 'false' END`);
  return textOfValue(sqlOf(node, environment), node.type, environment, wire, isBuilt(node));
}

/** Whether a node is true or false, and never null. */
function isSure(node: Node): boolean {
  if (node.op === "binary") return isComparison(node);
  return (
    node.op === "and" ||
    node.op === "or" ||
    node.op === "not" ||
    (node.op === "has" && node.of.type.kind === "record")
  );
}

const lists: ReadonlySet<string> = new Set(["filter", "map", "sort", "distinct", "flatten"]);

function writeBound(node: Node, environment: Environment, wire: WireForm | undefined): Json {
  if (node.op === "literal") {
    const text = wire
      ? compileJson(node, environment.compiler.meaning, wire)(operationFrame)
      : JSON.stringify(node.value);
    return text === "null" ? nullableJson(sql`NULL`, sql`'null'`) : nonNullJson(text);
  }
  if (!wire) return nullableJson(boundRuntimeJson(node, environment));
  const written = boundJson(node, environment, wire);
  return nullableJson(sql`nullif(${written}, 'null')`, written);
}

function writeFirst(
  node: Extract<Node, { op: "call" }>,
  environment: Environment,
  wire: WireForm | undefined,
): Json {
  const all = node.args
    .filter((argument) => argument.type.kind !== "null")
    .map((argument) => write(argument, environment, wire));
  const texts = all.map((item) => concatenated(item.pieces, environment));
  if (texts.length < 2) return all[0] ?? nullableJson(sql`NULL`, sql`'null'`);
  return nullableJson(sql`coalesce(${joined(texts, ", ")})`, sql`coalesce(${joined(texts, ", ")}, 'null')`);
}

// ── Objects ─────────────────────────────────────────────────────────────────────────────────────

function entryOf(
  { key, optional, value }: MapEntry,
  environment: Environment,
  wire: WireForm | undefined,
): Entry {
  return { key, optional, json: write(value, environment, wire) };
}

function shownBy(node: Extract<Node, { op: "shape" | "representation" }>, { compiler }: Environment): Node {
  const body = bodyOf(node, compiler.meaning);
  if (!body) throw new NotInSql("a shape without a body");
  return body;
}

function writeShape(
  node: Extract<Node, { op: "shape" | "representation" }>,
  environment: Environment,
  wire: WireForm | undefined,
): Json {
  const body = shownBy(node, environment);
  if (!node.of) return write(body, enter(environment, environment.self), wire);
  const opened = openPlace(node.of, environment);
  if (opened && opened.kind === "row" && !opened.optional)
    return write(body, enter(environment, opened), wire);
  return nullableJson(withSelf(node.of, environment, (inner) => jsonOf(body, inner, wire)));
}

/** Where the object of a body is found, if that needs no further SELECT. */
export function openPlace(of: Node, environment: Environment): Place | undefined {
  let found: Place | undefined;
  const plain = ["fixed", "local", "named", "parameter", "field"].includes(of.op);
  if (plain)
    withPlace(of, environment, (place, inner) => {
      if (inner === environment) found = place;
      return sql`NULL`;
    });
  return found;
}

interface Entries {
  /** Values that are null if the object doesn't exist. */
  readonly needs: readonly Sql[];
  readonly entries: readonly Entry[];
}

function writeMerged(
  node: Extract<Node, { op: "call" }>,
  environment: Environment,
  wire: WireForm | undefined,
): Json {
  let sure: Json | undefined;
  const text = withMerged(node.args, environment, wire, (merged, inner) => {
    if (!merged) {
      const value = wire
        ? textOfValue(mergedAsWritten(node, inner, wire), types.any, inner, wire, true)
        : textOfValue(mergedValue(node, inner), node.type, inner, wire, true);
      return concatenated(value.pieces, inner);
    }
    const object = writeEntries(merged.entries, inner, wire);
    if (merged.needs.length === 0 && inner.block === environment.block) sure = object;
    const needed = merged.needs.map((need) => sql`${need} IS NOT NULL`);
    const whole = concatenated(object.pieces, inner);
    return needed.length === 0 ? whole : sql`CASE WHEN ${joined(needed, " AND ")} THEN ${whole} END`;
  });
  return sure ?? nullableJson(text);
}

type UseEntries = (found: Entries | undefined, inner: Environment) => Sql;

const noEntries: Entries = { needs: [], entries: [] };

/**
 * Writes SQL from the merged keys of several objects. If an object must be looked up, the SQL is
 * inside its SELECT.
 */
function withMerged(
  args: readonly Node[],
  environment: Environment,
  wire: WireForm | undefined,
  use: UseEntries,
  before: Entries = noEntries,
): Sql {
  const [argument, ...rest] = args;
  if (!argument) return use(before, environment);
  return withEntries(argument, environment, wire, (found, inner) => {
    if (!found) return use(undefined, inner);
    const merged = new Map(before.entries.map((entry) => [entry.key, entry]));
    for (const entry of found.entries) {
      const known = merged.get(entry.key);
      merged.set(entry.key, known && entry.optional ? otherwise(entry, known, inner) : entry);
    }
    const both: Entries = { needs: [...before.needs, ...found.needs], entries: [...merged.values()] };
    return withMerged(rest, inner, wire, use, both);
  });
}

/** Writes SQL from the keys of an object, if its node determines them. */
function withEntries(node: Node, environment: Environment, wire: WireForm | undefined, use: UseEntries): Sql {
  if (node.op === "map") {
    const entries = node.entries.map((entry) => entryOf(entry, environment, wire));
    return use({ needs: [], entries }, environment);
  }
  if (node.op === "call" && node.function === "merge") return withMerged(node.args, environment, wire, use);
  if (node.op !== "shape" && node.op !== "representation") return use(undefined, environment);
  const body = shownBy(node, environment);
  const inside = (place: Place, around: Environment) =>
    withEntries(body, enter(around, place), wire, (found, inner) => {
      const outer = { ...around, block: inner.block };
      return use(
        found && { needs: [...presenceOf(place, around), ...found.needs], entries: found.entries },
        outer,
      );
    });
  return node.of ? withPlace(node.of, environment, inside) : inside(environment.self, environment);
}

function otherwise(entry: Entry, before: Entry, environment: Environment): Entry {
  if (!entry.json.nullable) return entry;
  const [entryJson, beforeJson] = [entry.json, before.json].map((json) =>
    concatenated(json.pieces, environment),
  ) as [Sql, Sql];
  return {
    key: entry.key,
    optional: before.optional,
    json: { pieces: [sql`coalesce(${entryJson}, ${beforeJson})`], nullable: before.json.nullable },
  };
}

/**
 * The merged value of a response. Each argument is serialized by its own type, because the result
 * has none.
 */
function mergedAsWritten(node: Extract<Node, { op: "call" }>, environment: Environment, wire: WireForm): Sql {
  const texts = node.args.flatMap((argument) => [
    jsonOf(argument, environment, undefined),
    jsonOf(argument, environment, wire),
  ]);
  const merge: Operation = {
    key: `merge written ${texts.length}`,
    takes: texts.map(() => types.any),
    gives: "any",
    evaluate: mergeWritten,
  };
  const forms = texts.map(() => "any" as const);
  return environment.compiler.dialect.operation(merge, forms, texts);
}

/** The merged value of arguments whose type is known only at run time. */
function mergedValue(node: Extract<Node, { op: "call" }>, environment: Environment): Sql {
  const texts = node.args.map((argument) => jsonOf(argument, environment, undefined));
  const forms = texts.map(() => "any" as const);
  const merge: Operation = {
    key: `merge ${texts.length}`,
    takes: texts.map(() => types.any),
    gives: "any",
    evaluate: mergeValues,
  };
  return environment.compiler.dialect.operation(merge, forms, texts);
}

// ── Lists and records ───────────────────────────────────────────────────────────────────────────

/** A source as a JSON list. */
export function jsonOfSource(source: Source, wire: WireForm | undefined): Sql {
  return concatenated(writeSource(source, wire).pieces, source.environment);
}

function writeSource(source: Source, wire: WireForm | undefined): Json {
  return writeRows(source, elementJson(source, wire));
}

function writeRows(source: Source, item: Sql): Json {
  const { dialect, alias } = source.environment.compiler;
  const name = alias("l");
  const rows = sql`SELECT ${item} AS v${source.block.tail()} ${orderText(source.order, dialect)}`;
  const list = sql`(SELECT '[' || coalesce(string_agg(${name}.v, ','), '') || ']' FROM (${rows}) AS ${name})`;
  return source.list
    ? nullableJson(sql`CASE WHEN ${source.list} IS NOT NULL THEN ${list} END`)
    : nonNullJson(list);
}

function elementJson(source: Source, wire: WireForm | undefined): Sql {
  const { made, element, type, environment } = source;
  if (made) return writtenJsonOf(made.node, made.environment, wire);
  const value = valueOfPlace(element, elementNode(type), environment);
  return concatenated(
    writtenPieces(textOfValue(value, type, environment, wire, true), environment),
    environment,
  );
}

/** A JSON list that has a list of these JSON texts for each element of a source. */
export function jsonOfItems(source: Source, items: readonly Sql[]): Sql {
  const pieces = items.flatMap((item, at): Piece[] => (at === 0 ? [item] : [",", item]));
  const item = concatenated(["[", ...pieces, "]"], source.environment);
  return concatenated(writeRows(source, item).pieces, source.environment);
}

/**
 * A JSON list of whole records with their hidden fields; undefined if the elements aren't records.
 */
export function jsonOfRecords(source: Source): Sql | undefined {
  if (source.made || source.element.kind !== "row") return undefined;
  return concatenated(
    writeRows(source, recordJson(source.element, source.environment)).pieces,
    source.environment,
  );
}

/** A whole record in run-time form. */
export function recordJson(place: RowPlace, environment: Environment): Sql {
  const fields = environment.compiler.meaning.vocabulary.resource(place.table.name)?.fields;
  const hidden: readonly (readonly [string, Type])[] = [
    ["#row", types.integer],
    ["#revision", types.integer],
    ...(place.table.marked ? [["#deleted", types.boolean] as const] : []),
  ];
  const columns = place.table.columns.map(
    (column) => [column.name, fields?.get(column.name)?.type ?? types.any] as const,
  );
  const entries = [...hidden, ...columns].map(([key, type]) => ({
    key,
    optional: false,
    json: textOfValue(columnOf(place, key, environment), type, environment, undefined),
  }));
  return concatenated(writeEntries(entries, environment, undefined).pieces, environment);
}
