/**
 * A stored change that only renames: resources and fields get their new names in place, and no record is read. The
 * engine's own rows that contain names follow.
 */
import type { ChangedTables, TableChange } from "../plan/changed-tables.ts";
import type { Steps } from "../../rows/steps.ts";
import { renameScopes } from "./caller-scopes.ts";
import { endTokens } from "./end-tokens.ts";
import { renameSequences, renameTimerSetting } from "./sequences.ts";
import { convertStartRows } from "./start-rows.ts";
import { run } from "./steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import type { Table } from "../../table.ts";

type Staying = TableChange & { readonly after: Table };

/** Returns how many records got a new revision. The indexes of renamed tables are created under their new names. */
export function* renameInPlace(changed: ChangedTables, words: MigrationDialect): Steps<number> {
  const renamed = changed.changes.filter(
    (change): change is Staying => change.after !== undefined && change.isRevised,
  );
  for (const { before } of renamed) yield* dropIndexes(before, words);
  yield* inTwoSteps(
    renamed.map(({ before, after }) => [before.name, after.name]),
    function* (from, to) {
      for (const text of words.renameTable(words.table(from), words.table(to))) yield* run(text);
    },
  );
  yield* renameResources(changed, words);
  yield* renameSequences(changed);
  yield* endTokens(changed);
  yield* convertStartRows(changed);
  let records = 0;
  for (const { after, columns } of renamed) {
    const name = words.table(after.name);
    yield* inTwoSteps(
      columns.map(({ from, to }) => [from, to]),
      function* (from, to) {
        yield* run(`ALTER TABLE ${name} RENAME COLUMN ${words.column(from)} TO ${words.column(to)}`);
      },
    );
    records += yield* run(`UPDATE ${name} SET "#revision" = "#revision" + 1`);
    yield* createIndexes(after, words);
  }
  return records;
}

type Rename = readonly [from: string, to: string];

/** Names may be swapped, so all of them get a temporary name first. */
function* inTwoSteps(all: readonly Rename[], rename: (from: string, to: string) => Steps<void>): Steps<void> {
  const renames = all.filter(([from, to]) => from !== to);
  for (const [at, [from]] of renames.entries()) yield* rename(from, `#renamed ${at}`);
  for (const [at, [, to]] of renames.entries()) yield* rename(`#renamed ${at}`, to);
}

/** Timers, deliveries, events and the scopes of idempotency keys contain the names of resources. */
export function* renameResources(changed: ChangedTables, words: MigrationDialect): Steps<void> {
  const names = changed.changes.flatMap(({ before, after }): Rename[] =>
    after ? [[before.name, after.name]] : [],
  );
  yield* inTwoSteps(names, function* (from, to) {
    for (const name of ["ninefold_timers", "ninefold_deliveries", "ninefold_receivers", "ninefold_events"])
      yield* run(`UPDATE ${name} SET resource = ? WHERE resource = ?`, [to, from]);
    yield* renameTimerSetting(from, to);
    yield* renameScopes(from, to, words);
  });
}

function* dropIndexes(table: Table, words: MigrationDialect): Steps<void> {
  const names = [
    ...table.uniques.map((key) => words.uniqueName(table, key)),
    ...table.indexes.map((index) => words.indexName(table, index)),
    ...(table.key ? [words.keyIndexName(table)] : []),
  ];
  for (const name of names) yield* run(`DROP INDEX IF EXISTS ${words.named(name)}`);
}

export function* createIndexes(table: Table, words: MigrationDialect): Steps<void> {
  const statements = [
    ...(words.checksLastIndexFirst ? table.uniques.toReversed() : table.uniques).map((key) =>
      words.createUnique(table, key),
    ),
    ...table.indexes.map((index) => words.createIndex(table, index)),
    ...(table.key ? [words.createKeyIndex(table)] : []),
  ];
  for (const statement of statements) if (statement !== undefined) yield* run(statement);
}
