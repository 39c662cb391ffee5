/**
 * JSON text under construction: literal text and SQL alternate, and keys of objects may be omitted.
 */
import type { WireForm } from "../store.ts";
import type { Environment } from "./environment.ts";
import { type Sql, sql } from "./fragment.ts";
import { concatenatedTexts } from "./standard-dialect.ts";

/** Literal text, or SQL that returns text. */
export type Piece = string | Sql;

/** A JSON text in pieces. A nullable one is null as a whole. */
export interface Json {
  readonly pieces: readonly Piece[];
  readonly nullable: boolean;
  /** The same with `null` for null, where that costs less than a later check. */
  readonly written?: Sql;
}

/** Concatenates pieces to one text. */
export function concatenated(pieces: readonly Piece[], { compiler: { dialect } }: Environment): Sql {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (typeof piece === "string" && typeof last === "string") merged[merged.length - 1] = last + piece;
    else merged.push(piece);
  }
  const texts = merged.map((piece) => (typeof piece === "string" ? dialect.literal(piece, "text") : piece));
  return texts.length === 1 ? (texts[0] as Sql) : concatenatedTexts(texts);
}

/** The pieces of a JSON text, with `null` for null. */
export function writtenPieces(json: Json, environment: Environment): readonly Piece[] {
  if (!json.nullable) return json.pieces;
  return [json.written ?? sql`coalesce(${concatenated(json.pieces, environment)}, 'null')`];
}

/** A JSON text that is never null. */
export function nonNullJson(...pieces: readonly Piece[]): Json {
  return { pieces, nullable: false };
}

/**
 * A JSON text that may be null.
 * @param written the same with `null` for null
 */
export function nullableJson(piece: Sql, written?: Sql): Json {
  return { pieces: [piece], nullable: true, ...(written ? { written } : {}) };
}

// ── Objects ─────────────────────────────────────────────────────────────────────────────────────

export interface Entry {
  readonly key: string;
  /** Whether the key is omitted if its value is null. */
  readonly optional: boolean;
  readonly json: Json;
}

/** Writes an object with these entries. */
export function writeEntries(
  entries: readonly Entry[],
  environment: Environment,
  wire: WireForm | undefined,
): Json {
  const pieces: Piece[] = [];
  // After a key that is always present, each key starts with its comma. Before, the first comma is
  // cut off.
  let first = true;
  let cut = false;
  for (const { key, optional, json } of entries) {
    const leaves = json.nullable && (optional || wire?.nulls === false);
    if (leaves && first) cut = true;
    const name = `${first && !cut ? "" : ","}${JSON.stringify(key)}:`;
    if (!leaves) pieces.push(name, ...writtenPieces(json, environment));
    else pieces.push(leftOut(name, json, environment));
    first = false;
  }
  if (!cut) return nonNullJson("{", ...pieces, "}");
  return nonNullJson("{", sql`substr(${concatenated(pieces, environment)}, 2)`, "}");
}

/** An entry that is empty if its value is null. */
function leftOut(name: string, json: Json, environment: Environment): Sql {
  const { dialect } = environment.compiler;
  return sql`coalesce(${dialect.literal(name, "text")} || ${concatenated(json.pieces, environment)}, '')`;
}
