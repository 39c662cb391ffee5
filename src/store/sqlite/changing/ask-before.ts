/** What effects of a stored change ask of the store as it was: asked for every record before anything is changed, and kept aside. */
import type { Node } from "../../../expressions/node.ts";
import { someNode } from "../../../expressions/nodes.ts";
import { equalitySets } from "../../../expressions/equalities.ts";
import type { Frame, Value } from "../../../expressions/value.ts";
import type { ChangedTables, TableChange } from "../../changes/changed-tables.ts";
import type { ChangeScene, PlannedForEach } from "../../changes/for-each.ts";
import { quoted, quotedTable } from "../../sql/fragment.ts";
import { type CompiledQuery, compileRecords, compileValue, createCompiler } from "../../sql/queries.ts";
import type { KeyOf } from "../../rows/keys.ts";
import type { Connection } from "../connection.ts";
import { sqliteDialect } from "../dialect.ts";
import { asBefore, fieldsAfter, formerRecords } from "./former.ts";
import { keyed } from "./keyed.ts";
import { frameOfChange } from "./ports.ts";
import type { Work } from "./work.ts";

export interface Answers {
  /** The table that holds the answers of a resource's records; undefined where nothing is asked. */
  of(change: TableChange): string | undefined;
  /** The table of the numbers of records that go, by their resource before the step. */
  readonly gone: ReadonlyMap<string, string>;
  drop(): void;
}

/** Asks all. */
export function askBefore(work: Work): Answers {
  const { changed, connection, now, keyBefore } = work;
  const compiler = createCompiler(changed.meaning, changed.before, sqliteDialect);
  const made: string[] = [];
  const indexes = indexesWanted(changed, connection);
  const named = new Map<TableChange, string>();
  const gone = new Map<string, string>();
  const create = (name: string, columns: string): string => {
    connection.exec(`CREATE TEMP TABLE ${quoted(name)} (${columns})`);
    made.push(name);
    return name;
  };
  for (const [at, change] of changed.changes.entries()) {
    const isAsked = change.forEach.some(({ asks }) => asks.length > 0);
    const deletes = change.forEach.flatMap(({ effects }) => effects.filter((one) => one.kind === "delete"));
    if (!isAsked && deletes.length === 0) continue;
    const asks = change.forEach.map((one) => one.asks.map((ask) => compileValue(ask.node, compiler)));
    const answers = isAsked ? create(`#asked ${at}`, "row INTEGER PRIMARY KEY, asked TEXT") : undefined;
    if (answers !== undefined) named.set(change, answers);
    const keep =
      answers === undefined
        ? undefined
        : connection.prepare(`INSERT INTO temp.${quoted(answers)} VALUES (?, ?)`);
    const leave = deletes.map(({ resource, where }) => {
      if (!gone.has(resource)) gone.set(resource, create(`#gone ${resource}`, "row INTEGER PRIMARY KEY"));
      const query = compileRecords({ resource, where: [where], order: [] }, compiler);
      const note = connection.prepare(
        `INSERT OR IGNORE INTO temp.${quoted(gone.get(resource) as string)} VALUES (?)`,
      );
      return { query, note };
    });
    const after = fieldsAfter(change);
    const frame = frameOfChange(now);
    for (const { old } of formerRecords(change, asBefore(change), undefined, work)) {
      frame.old = old;
      frame.this = change.after ? after(old) : null;
      const asked = change.forEach.map((one, number) =>
        answersOf(one, asks[number] ?? [], frame, { keyOf: keyBefore, connection }),
      );
      keep?.run([old["#row"], JSON.stringify(asked)]);
      let number = 0;
      for (const [place, { effects }] of change.forEach.entries())
        for (const effect of effects) {
          if (effect.kind !== "delete") continue;
          const { query, note } = leave[number] as (typeof leave)[number];
          number += 1;
          if (effect.when && effect.when({ frame, asked: asked[place] ?? [], element: 0 }) !== true) continue;
          for (const [row] of connection.ofQuery(query).all(query.bind(frame) as never))
            note.run([row as number]);
        }
    }
  }
  for (const name of indexes) connection.exec(`DROP INDEX ${quoted(name)}`);
  return {
    of: (change) => named.get(change),
    gone,
    drop() {
      for (const name of made) connection.exec(`DROP TABLE temp.${quoted(name)}`);
    },
  };
}

interface Around {
  readonly keyOf: KeyOf;
  readonly connection: Connection;
}

function answersOf(
  { asks }: PlannedForEach,
  queries: readonly CompiledQuery<Value>[],
  frame: Frame,
  { keyOf, connection }: Around,
): readonly Value[] {
  const asked: Value[] = [];
  const scene: ChangeScene = { frame, asked, element: 0 };
  for (const [number, { node, of }] of asks.entries()) {
    const query = queries[number] as CompiledQuery<Value>;
    const answer = (): Value => {
      const row = connection.ofQuery(query).get(query.bind(frame) as never);
      return keyed(row ? query.decode(row, frame) : null, node.type, keyOf);
    };
    if (!of) {
      asked.push(answer());
      continue;
    }
    const elements = of(scene);
    const own: Value[] = [];
    for (const element of Array.isArray(elements) ? (elements as readonly Value[]) : []) {
      frame.locals = [element];
      own.push(answer());
    }
    frame.locals = [];
    asked.push(own);
  }
  return asked;
}

/** An equality over a collection goes along an index, which is made for it where the store has none: else each record asks all others. */
function indexesWanted(changed: ChangedTables, connection: Connection): readonly string[] {
  const wanted = new Map<string, readonly [table: string, column: string]>();
  const look = (node: Node): void => {
    someNode(node, (one) => {
      if (one.op !== "macro" || !one.body || one.of.type.kind !== "collection") return false;
      const { depth } = one;
      const isElement = (of: Node): boolean => of.op === "local" && of.depth === depth;
      want(one.of.type.resource, equalitySets([one.body], isElement).flat());
      return false;
    });
  };
  const want = (resource: string, fields: readonly string[]): void => {
    const table = changed.before.tables.find(({ name }) => name === resource);
    for (const field of fields) {
      const isThere =
        table?.indexes.some(({ columns }) => columns[0]?.name === field) ||
        table?.uniques.some(({ columns }) => columns[0] === field);
      const isColumn = table?.columns.some(({ name }) => name === field);
      if (!isThere && isColumn) wanted.set(`#wanted ${resource}.${field}`, [resource, field]);
    }
  };
  for (const { forEach } of changed.changes)
    for (const { asks, effects } of forEach) {
      for (const { node } of asks) look(node);
      for (const effect of effects) {
        if (effect.kind !== "delete") continue;
        look(effect.where);
        want(
          effect.resource,
          equalitySets([effect.where], (of) => of.op === "fixed" && of.name === "this").flat(),
        );
      }
    }
  for (const [name, [table, column]] of wanted)
    connection.exec(`CREATE INDEX ${quoted(name)} ON ${quotedTable(table)} (${quoted(column)})`);
  return [...wanted.keys()];
}
