/**
 * Hybrid projection: JSON that SQL can't write alone, such as `token(this)` in a shape or a
 * handler's function over a column.
 *
 * The statement reads the inputs of such a part together with the text around it, and the function
 * compiler writes the part.
 */
import { bodyOf } from "../../expressions/analysis/bodies.ts";
import { compileFunction, readsStore } from "../../expressions/evaluate.ts";
import { JsonText } from "../../expressions/json-text.ts";
import type { Node } from "../../expressions/node.ts";
import { type Type, types } from "../../expressions/type.ts";
import type { Frame, Value } from "../../expressions/value.ts";
import { compileJson } from "../../expressions/write-json.ts";
import type { WireForm } from "../store.ts";
import { enter, type Environment, NotInSql } from "./environment.ts";
import { type Decode, decoderOf, readJson } from "./form.ts";
import type { Sql } from "./fragment.ts";
import { recordJson, writtenJsonOf } from "./json.ts";
import {
  extractedJson,
  extractedValue,
  listOfLists,
  type SubqueryExtractor,
  typeInFunction,
} from "./extract-subqueries.ts";
import { nameIn } from "./record.ts";
import { sqlOf } from "./writing.ts";

/** Columns of a statement, and the function that builds a JSON text from them. */
export interface HybridJson {
  readonly columns: readonly Sql[];
  /** @param first the index of the first of these columns in the row */
  write(row: readonly unknown[], first: number, frame: Frame): string;
}

/**
 * The columns and the function for a node's JSON text. It is a single column if SQL can write all
 * of it.
 */
export function hybridJsonOf(node: Node, environment: Environment, wire: WireForm): HybridJson {
  try {
    return textColumn(writtenJsonOf(node, environment, wire));
  } catch (error) {
    if (!(error instanceof NotInSql)) throw error;
    return splitWriting(node, environment, wire);
  }
}

function textColumn(text: Sql): HybridJson {
  return { columns: [text], write: (row, first) => String(row[first]) };
}

/** Splits a map key by key. Any other node is written as a whole. */
function splitWriting(node: Node, environment: Environment, wire: WireForm): HybridJson {
  if ((node.op === "shape" || node.op === "representation") && isThere(node.of, environment)) {
    const body = bodyOf(node, environment.compiler.meaning);
    const place = node.of ? nameIn(node.of, environment) : environment.self;
    if (body && place) return hybridJsonOf(body, enter(environment, place), wire);
  }
  if (node.op === "map" && wire.nulls && node.entries.every((entry) => !entry.optional))
    return splitMap(node, environment, wire);
  return writtenByFunction(node, environment, wire);
}

function isThere(of: Node | undefined, environment: Environment): boolean {
  if (!of) return true;
  const place = nameIn(of, environment);
  return place?.kind === "row" && !place.optional;
}

type Entries = Extract<Node, { op: "map" }>["entries"];

function splitMap(node: Extract<Node, { op: "map" }>, environment: Environment, wire: WireForm): HybridJson {
  // Adjacent entries that SQL can write share a column. Each other entry has its own.
  const groups: { readonly isSplit: boolean; readonly entries: Entries }[] = [];
  for (const entry of node.entries) {
    const isSplit = splits(entry.value, environment, wire);
    const last = groups.at(-1);
    if (!isSplit && last && !last.isSplit)
      groups[groups.length - 1] = { isSplit, entries: [...last.entries, entry] };
    else groups.push({ isSplit, entries: [entry] });
  }
  const parts = groups.map(({ isSplit, entries }) => {
    const [first] = entries as [Entries[number]];
    if (!isSplit) return { name: "", writing: hybridJsonOf({ ...node, entries }, environment, wire) };
    return { name: `${JSON.stringify(first.key)}:`, writing: hybridJsonOf(first.value, environment, wire) };
  });
  return {
    columns: parts.flatMap((part) => part.writing.columns),
    write(row, first, frame) {
      let at = first;
      const texts = parts.map(({ name, writing }) => {
        const text = writing.write(row, at, frame);
        at += writing.columns.length;
        return name === "" ? text.slice(1, -1) : name + text;
      });
      return `{${texts.join(",")}}`;
    },
  };
}

function splits(node: Node, environment: Environment, wire: WireForm): boolean {
  try {
    writtenJsonOf(node, environment, wire);
    return false;
  } catch (error) {
    if (error instanceof NotInSql) return true;
    throw error;
  }
}

/**
 * Writes a node with a function of the statement's result. Every part that SQL can evaluate is a
 * column.
 */
function writtenByFunction(node: Node, environment: Environment, wire: WireForm): HybridJson {
  const brought = bringing(environment, wire);
  const rest = ownRest(extractedJson(node, environment, wire, brought.taker), environment);
  const write = compileJson(rest, environment.compiler.meaning, wire);
  return {
    columns: brought.columns,
    write: (row, first, frame) => write(brought.frameOf(row, first, frame)),
  };
}

/** Columns of a statement, and the function that builds a value from them. */
export interface HybridValue {
  readonly columns: readonly Sql[];
  /** @param first the index of the first of these columns in the row */
  read(row: readonly unknown[], first: number, frame: Frame): Value;
}

/** The value of a node that SQL can't evaluate by itself. */
export function hybridValueOf(node: Node, environment: Environment): HybridValue {
  const brought = bringing(environment, undefined);
  const rest = ownRest(extractedValue(node, environment, brought.taker), environment);
  const evaluate = compileFunction(rest, environment.compiler.meaning);
  return {
    columns: brought.columns,
    read: (row, first, frame) => evaluate(brought.frameOf(row, first, frame)),
  };
}

/**
 * Rejects a node that still reads stored data after the extraction. A function of our own over
 * records that another such function filters is one.
 */
function ownRest(rest: Node, environment: Environment): Node {
  if (readsStore(rest, environment.compiler.meaning))
    throw new NotInSql("a function of our own over records that it helps to pick");
  return rest;
}

interface BroughtColumn {
  readonly taker: SubqueryExtractor;
  readonly columns: readonly Sql[];
  /** A frame that has the columns under their extracted names. */
  frameOf(row: readonly unknown[], first: number, frame: Frame): Frame;
}

function bringing(environment: Environment, wire: WireForm | undefined): BroughtColumn {
  const columns: Sql[] = [];
  const decoders: Decode[] = [];
  const addColumn = (type: Type, column: Sql, decode: Decode): Node => {
    columns.push(column);
    decoders.push(decode);
    return { op: "named", name: `${columnPrefix}${columns.length - 1}`, type };
  };
  const { dialect } = environment.compiler;
  const words = environment.compiler.meaning.vocabulary;
  const taker: SubqueryExtractor = {
    level: 0,
    unknown: new Set(),
    count: () => columns.length,
    dropAbove(to) {
      columns.length = to;
      decoders.length = to;
    },
    value: (part, inner) =>
      addColumn(typeInFunction(part.type), sqlOf(part, inner), decoderOf(part.type, words, dialect)),
    json: (part, inner) => addColumn(types.any, writtenJsonOf(part, inner, wire), decodeText),
    record: (part, place, inner) => addColumn(part.type, recordJson(place, inner), decodeRecord),
    list: (json) => addColumn(listOfLists, json, decoderOf(listOfLists, words, dialect)),
    // The elements of a collection are records, and those of a list are keys.
    records: (part, json) => addColumn(part.type, json, decoderOf(part.type, words, dialect)),
  };
  return {
    taker,
    columns,
    frameOf(row, first, frame) {
      const named: Record<string, Value> = Object.create(frame.named);
      for (const [at, decode] of decoders.entries()) named[`${columnPrefix}${at}`] = decode(row[first + at]);
      return { ...frame, named, locals: [...frame.locals] };
    },
  };
}

const columnPrefix = "#column ";

/** A serialized part is copied into the response unchanged. */
const decodeText: Decode = (stored) => {
  const text = String(stored);
  return text === "null" ? null : new JsonText(text);
};

/** A missing record has no `#row`. */
const decodeRecord: Decode = (stored) => {
  if (stored === null || stored === undefined) return null;
  const record = readJson(String(stored));
  return (record as { readonly "#row"?: number | null })["#row"] === null ? null : record;
};
