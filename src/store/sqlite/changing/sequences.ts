/** Sequences and settings of the engine that bear names of resources and fields, taken along by a stored change. */
import type { Value } from "../../../expressions/value.ts";
import type { ChangedTables } from "../../changes/changed-tables.ts";
import type { Connection } from "../connection.ts";

/** `Resource.field` of a sequence, as a step names it. */
export function renameSequences({ changes }: ChangedTables, connection: Connection): void {
  const renames = changes.flatMap(({ before, after, columns }) =>
    after
      ? before.columns.flatMap(({ name }) => {
          const to = columns.find((one) => one.from === name)?.to ?? name;
          return to === name && after.name === before.name
            ? []
            : [[`${before.name}.${name}`, `${after.name}.${to}`] as const];
        })
      : [],
  );
  const rename = connection.prepare("UPDATE OR REPLACE ninefold_sequences SET name = ? WHERE name = ?");
  // Two may take each other's names.
  for (const [at, [from]] of renames.entries()) rename.run([`#${at}`, from]);
  for (const [at, [, to]] of renames.entries()) rename.run([to, `#${at}`]);
}

/** Which records the document gave, and how far timers have come, is noted by the resource's name. */
export function renameSettings(from: string, to: string, connection: Connection): void {
  const rename = connection.prepare(
    "UPDATE OR REPLACE ninefold_settings SET name = ? || substr(name, length(?) + 1) WHERE substr(name, 1, length(?)) = ?",
  );
  const [former, now] = [`record ${from} `, `record ${to} `];
  rename.run([now, former, former, former]);
  connection
    .prepare("UPDATE OR REPLACE ninefold_settings SET name = ? WHERE name = ?")
    .run([`timers ${to}`, `timers ${from}`]);
}

/** A sequence that counts within a record is named by its key. @param newKey undefined of a resource whose keys stay as they were */
export function takeSequencesAlong(
  { after }: ChangedTables,
  newKey: (resource: string) => ((key: Value) => Value) | undefined,
  connection: Connection,
): void {
  const all = connection.prepare("SELECT name, within FROM ninefold_sequences WHERE within <> ''").all([]);
  const moves: (readonly [string, string, string])[] = [];
  for (const [name, within] of all as readonly (readonly [string, string])[]) {
    const table = after.tables.find((one) => one.name === name.split(".", 1)[0]);
    const targets = new Set(
      table?.columns.flatMap(({ refersTo }) => (refersTo ? [refersTo.resource] : [])) ?? [],
    );
    const former = JSON.parse(within) as Value;
    for (const target of targets) {
      const now = newKey(target)?.(former);
      if (now !== undefined && now !== former) moves.push([name, within, JSON.stringify(now)]);
    }
  }
  const move = connection.prepare(
    "UPDATE OR REPLACE ninefold_sequences SET within = ? WHERE name = ? AND within = ?",
  );
  for (const [name, within] of moves) move.run([`#${within}`, name, within]);
  for (const [name, within, now] of moves) move.run([now, name, `#${within}`]);
}

/** The next number of a sequence. */
export function countUp(name: string, within: string, connection: Connection): number {
  const [value] = connection
    .statement(
      "INSERT INTO ninefold_sequences (name, within, value) VALUES (?, ?, 1) ON CONFLICT (name, within) DO UPDATE SET value = value + 1 RETURNING value",
    )
    .get([name, within]) as readonly [number];
  return value;
}

/** A number that was set is not given again. */
export function goOnBehind(name: string, within: string, value: number, connection: Connection): void {
  connection
    .statement(
      "INSERT INTO ninefold_sequences (name, within, value) VALUES (?, ?, ?) ON CONFLICT (name, within) DO UPDATE SET value = max(value, excluded.value)",
    )
    .run([name, within, value]);
}
