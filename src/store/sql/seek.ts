/**
 * Keyset pagination: the values of a cursor, and the condition for the records after or before it.
 */
import type { Node } from "../../expressions/node.ts";
import type { Value } from "../../expressions/value.ts";
import type { RecordsQuery } from "../store.ts";
import type { Environment } from "./environment.ts";
import { decoderOf, encoderOf, formOf } from "./form.ts";
import { joined, parameter, type Sql, sql } from "./fragment.ts";
import type { OrderKey } from "./order.ts";
import { isAnyCase } from "./case.ts";
import { isSame } from "./standard-dialect.ts";
import { sqlOf } from "./writing.ts";

/** A value of a cursor, and how it is decoded from a row. */
export interface CursorKey {
  readonly value: Sql;
  readonly node: Node;
  decode(stored: unknown): Value;
}

/** The values that a cursor has of each record: one for each key of the order. */
export function cursorKeys(order: RecordsQuery["order"], environment: Environment): readonly CursorKey[] {
  const words = environment.compiler.meaning.vocabulary;
  return order.map(({ by }) => ({
    value: sqlOf(by, environment),
    node: by,
    decode: decoderOf(by.type, words, environment.compiler.dialect),
  }));
}

/**
 * Conditions for the records after (or before) `frame.cursor`. They select disjoint sets: the
 * records that an index finds by the first key, and those on the other side of its nulls.
 * @param order the sort keys; the last one is the `#row`
 */
export function cursorConditions(
  seek: "after" | "before",
  keys: readonly CursorKey[],
  order: readonly OrderKey[],
  environment: Environment,
): readonly Sql[] {
  const places = order.map((key, at): Sought => {
    const value = placeIn(keys[at], at, environment);
    const isAscending = key.descending === (seek === "before");
    return { key: key.key, beginning: key.beginning, nulls: key.nulls, at: value, isAscending };
  });
  const [first, ...rest] = places as [Sought, ...Sought[]];
  const near = sql`${nearFirst(first, rest, seek)}${fromBeginning(first, environment)}`;
  if (first.nulls === "none") return [near];
  const level = further(rest, seek);
  // In the direction of the nulls, a null is followed only by other nulls. In the other direction,
  // it is followed by everything else.
  const far = goesToNulls(first, seek)
    ? sql`${first.key} IS NULL AND (${first.at} IS NOT NULL OR ${level})`
    : sql`${first.at} IS NULL AND (${first.key} IS NOT NULL OR ${level})`;
  return [near, far];
}

interface Sought {
  readonly key: Sql;
  readonly beginning: Sql | undefined;
  readonly nulls: OrderKey["nulls"];
  /** The cursor's value of this key. */
  readonly at: Sql;
  readonly isAscending: boolean;
}

/**
 * The records beyond the first key's value, or equal to it and beyond by the other keys. Neither
 * value is null.
 */
function nearFirst(first: Sought, rest: readonly Sought[], seek: "after" | "before"): Sql {
  const { key, at, isAscending } = first;
  if (rest.length === 0) return beyond(first);
  // A row comparison uses an index best. It is correct if all keys have the same direction, and
  // none of the others is null.
  if (rest.every((sought) => sought.isAscending === isAscending && sought.nulls === "none")) {
    const left = joined(
      [first, ...rest].map((sought) => sought.key),
      ", ",
    );
    const right = joined(
      [first, ...rest].map((sought) => sought.at),
      ", ",
    );
    return sql`(${left}) ${isAscending ? ">" : "<"} (${right})`;
  }
  return sql`${key} ${isAscending ? ">=" : "<="} ${at} AND (${beyond(first)} OR ${further(rest, seek)})`;
}

/** If the index has only prefixes of texts, it is read from the prefix of the cursor. */
function fromBeginning({ beginning, at, isAscending }: Sought, { compiler: { dialect } }: Environment): Sql {
  const ofPlace = beginning && dialect.beginning?.(at);
  return ofPlace ? sql` AND ${beginning} ${isAscending ? ">=" : "<="} ${ofPlace}` : sql``;
}

/** The records that follow the cursor by these keys. */
function further(keys: readonly Sought[], seek: "after" | "before"): Sql {
  const alternatives = keys.map((key, index) => {
    const level = keys.slice(0, index).map((before) => isSame(before.key, before.at));
    return sql`(${joined([...level, beyondOrNull(key, seek)], " AND ")})`;
  });
  return sql`(${joined(alternatives, " OR ")})`;
}

function beyond({ key, at, isAscending }: Sought): Sql {
  return sql`${key} ${isAscending ? ">" : "<"} ${at}`;
}

function beyondOrNull(sought: Sought, seek: "after" | "before"): Sql {
  if (sought.nulls === "none") return beyond(sought);
  const { key, at } = sought;
  if (goesToNulls(sought, seek)) return sql`(${beyond(sought)} OR (${key} IS NULL AND ${at} IS NOT NULL))`;
  return sql`(${beyond(sought)} OR (${key} IS NOT NULL AND ${at} IS NULL))`;
}

/** Whether nulls follow in the direction of the seek. */
function goesToNulls(sought: Sought, seek: "after" | "before"): boolean {
  return (sought.nulls === "last") === (seek === "after");
}

function placeIn(key: CursorKey | undefined, at: number, environment: Environment): Sql {
  const { dialect, meaning } = environment.compiler;
  if (!key)
    return parameter(`cursor ${at} row`, "integer", (frame) => (frame.cursor[at] ?? null) as number | null);
  const form = formOf(key.node.type, meaning.vocabulary);
  const encode = encoderOf(key.node.type, meaning, dialect);
  const value = parameter(`cursor ${at} ${JSON.stringify(key.node.type)}`, form, (frame) =>
    encode(frame.cursor[at]),
  );
  if (form === "decimal") return dialect.decimalOrder(value);
  if (form === "any") return dialect.anyOrder(value);
  return isAnyCase(key.node, environment) ? dialect.anyCase(value) : value;
}
