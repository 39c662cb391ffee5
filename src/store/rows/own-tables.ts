/** Definitions of the engine's own tables, for any database. */
import { quoted } from "../sql/fragment.ts";

/** The column types of a database. */
export interface ColumnWords {
  /** The type of a key that the database assigns in ascending order, without repeating a number. */
  readonly counted: string;
  /** The type of a key that the database assigns. */
  readonly key: string;
  readonly integer: string;
  readonly text: string;
  /** The text after a table's columns. `keyed` is for a table with a key of several columns. */
  readonly plain: string;
  readonly keyed: string;
  /** Whether each index implicitly ends with the key of its table. */
  readonly indexesHaveKey: boolean;
}

/** An index that returns rows in order, even if nearly all of them are due at the same time. */
export interface OrderedIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** The remaining columns of the table's key, which order rows with equal columns. */
  readonly thenKey: readonly string[];
  readonly where: string;
}

const deliveriesByReceiver: OrderedIndex = {
  name: "ninefold_deliveries by receiver",
  table: "ninefold_deliveries",
  columns: ["channel", "resource", "row", "due_at"],
  thenKey: ["number"],
  where: "state = 'open'",
};
const timersByDueAt: OrderedIndex = {
  name: "ninefold_timers by due_at",
  table: "ninefold_timers",
  columns: ["due_at"],
  thenKey: ["resource", "row", "transition", `"end"`],
  where: "held = 0",
};
/** Finds the due timers of one resource, even if others have many. */
export const timersByResource: OrderedIndex = {
  name: "ninefold_timers by resource",
  table: "ninefold_timers",
  columns: ["resource", "due_at"],
  thenKey: ["row", "transition", `"end"`],
  where: "held = 0",
};
export const orderedIndexes: readonly OrderedIndex[] = [
  deliveriesByReceiver,
  timersByDueAt,
  timersByResource,
];

/** The statement that creates an ordered index. */
export function createOrderedIndex(
  { name, table, columns, thenKey, where }: OrderedIndex,
  { indexesHaveKey }: ColumnWords,
): string {
  const all = indexesHaveKey ? columns : [...columns, ...thenKey];
  return `CREATE INDEX ${quoted(name)} ON ${table} (${all.join(", ")}) WHERE ${where}`;
}

/**
 * Tables of deliveries: what must be sent, when, and the result. `receivers` has a row for each
 * receiver with open or recent deliveries.
 */
export function deliveryTables(words: ColumnWords): readonly string[] {
  const { counted, integer, text, plain, keyed } = words;
  return [
    `CREATE TABLE ninefold_deliveries (
    number ${counted}, id ${text} NOT NULL, channel ${text} NOT NULL, event ${integer} NOT NULL,
    resource ${text} NOT NULL, row ${integer} NOT NULL, content ${text}, queue ${text}, record ${integer},
    state ${text} NOT NULL,
    attempts ${integer} NOT NULL DEFAULT 0, due_at ${integer}, created_at ${integer} NOT NULL, last_at ${integer}, ended_at ${integer},
    status ${integer}, error ${text}
  )${plain}`,
    createOrderedIndex(deliveriesByReceiver, words),
    `CREATE INDEX "ninefold_deliveries by queue" ON ninefold_deliveries (channel, resource, row, queue, number)
    WHERE state = 'open' AND queue IS NOT NULL`,
    `CREATE INDEX "ninefold_deliveries by event" ON ninefold_deliveries (event)`,
    `CREATE INDEX "ninefold_deliveries by end" ON ninefold_deliveries (ended_at) WHERE ended_at IS NOT NULL`,
    `CREATE TABLE ninefold_receivers (
    channel ${text} NOT NULL, resource ${text} NOT NULL, row ${integer} NOT NULL, due_at ${integer}, not_before ${integer} NOT NULL DEFAULT 0,
    failing ${integer} NOT NULL DEFAULT 0, disabled ${integer}, paused ${integer} NOT NULL DEFAULT 0, PRIMARY KEY (channel, resource, row)
  )${keyed}`,
    `CREATE INDEX "ninefold_receivers by due_at" ON ninefold_receivers (failing, due_at)
    WHERE due_at IS NOT NULL AND disabled IS NULL AND paused = 0`,
  ];
}

/** The table of the last attempts of each delivery. */
export function attemptsTable({ integer, text, keyed }: ColumnWords): string {
  return `CREATE TABLE ninefold_attempts (
    delivery ${integer} NOT NULL, number ${integer} NOT NULL, started_at ${integer} NOT NULL, took_ms ${integer} NOT NULL,
    status ${integer}, error ${text}, answer ${text}, PRIMARY KEY (delivery, number)
  )${keyed}`;
}

/** The table of applied stored changes (part 9). `hash` is that of their text then. */
export function changesTable({ key, integer, text, plain }: ColumnWords): string {
  return `CREATE TABLE ninefold_changes (
    place ${key}, name ${text} NOT NULL UNIQUE, hash ${text} NOT NULL, at ${text} NOT NULL, records ${integer} NOT NULL,
    ms ${integer} NOT NULL, copy ${text}
  )${plain}`;
}

/** All of the engine's own tables. */
export function ownTables(words: ColumnWords): readonly string[] {
  const { counted, integer, text, plain, keyed } = words;
  return [
    ...deliveryTables(words),
    attemptsTable(words),
    changesTable(words),
    `CREATE TABLE ninefold_meta (name ${text} PRIMARY KEY, value ${text} NOT NULL)${keyed}`,
    `CREATE TABLE ninefold_settings (name ${text} PRIMARY KEY, value ${text} NOT NULL)${keyed}`,
    `CREATE TABLE ninefold_sequences (
    name ${text} NOT NULL, within ${text} NOT NULL, value ${integer} NOT NULL, PRIMARY KEY (name, within)
  )${keyed}`,
    `CREATE TABLE ninefold_events (
    sequence ${counted}, id ${text} NOT NULL, type ${text} NOT NULL, time ${text} NOT NULL,
    resource ${text} NOT NULL, row ${integer} NOT NULL, subject ${text} NOT NULL, payload ${text} NOT NULL, record ${text}
  )${plain}`,
    `CREATE TABLE ninefold_timers (
    resource ${text} NOT NULL, row ${integer} NOT NULL, transition ${text} NOT NULL, "end" ${integer} NOT NULL,
    due_at ${integer} NOT NULL, failures ${integer} NOT NULL DEFAULT 0,
    held ${integer} NOT NULL DEFAULT 0, PRIMARY KEY (resource, row, transition, "end")
  )${keyed}`,
    createOrderedIndex(timersByDueAt, words),
    createOrderedIndex(timersByResource, words),
    `CREATE TABLE ninefold_idempotency (
    scope ${text} NOT NULL, key ${text} NOT NULL, method ${text} NOT NULL, path ${text} NOT NULL, body_hash ${text} NOT NULL,
    status ${integer} NOT NULL, headers ${text} NOT NULL, body ${text} NOT NULL, until ${integer} NOT NULL, PRIMARY KEY (scope, key)
  )${plain}`,
    `CREATE INDEX "ninefold_idempotency by until" ON ninefold_idempotency (until)`,
  ];
}
