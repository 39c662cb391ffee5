/**
 * Moves a store into another one, of the same kind of database or another: records with their row
 * numbers and revisions, and all that the engine stores with them. Each page is one transaction,
 * in key order, so that an interrupted move resumes where it stopped. The target is valid only
 * after both stores were read again and are the same.
 */
import { StoreRefused } from "../errors.ts";
import type { Tables } from "../tables.ts";
import type { StartedMove, MoveEnd, MoveSource, MoveTarget } from "./source-and-target.ts";
import {
  type Digest,
  digestOf,
  type MovedRow,
  movedRecords,
  type MovedTable,
  movedSystemTables,
  rowPosition,
} from "./moved-table.ts";

export interface MoveOptions {
  /** Called with the number of rows that were copied or compared, of all rows. */
  readonly onRows?: (what: "Copying" | "Comparing", done: number, all: number) => void;
}

export interface MovedStore {
  readonly document: string;
  /** The number of rows that an interrupted move had already copied. */
  readonly resumedAt: number;
  /** Each table that has rows, or belongs to a resource. */
  readonly tables: readonly (Digest & { readonly name: string; readonly isOwn: boolean })[];
}

/** @throws StoreRefused */
export async function move(
  source: MoveSource,
  target: MoveTarget,
  options: MoveOptions = {},
): Promise<MovedStore> {
  const { onRows = () => {} } = options;
  const tables: Tables = JSON.parse(source.is.tables);
  await begin(source, target, tables);
  const moved = await tablesMoved(source, target, tables);
  const counts = await countsOf(source, moved);
  const all = sum(counts.values());
  let done = sum((await countsOf(target, moved)).values());
  const resumedAt = done;
  for (const table of moved) {
    const behind = await target.lastPlace(table);
    for await (const page of pagesOf(source, table, behind)) {
      await target.add(table, page);
      done += page.length;
      onRows("Copying", done, all);
    }
  }
  const digests = await compare(source, target, moved, (compared) => onRows("Comparing", compared, all));
  await target.finish(source.is, tables, await numbersGiven(source, moved));
  const reported = moved.map((table, at) => ({
    name: table.name,
    isOwn: table.isOwn,
    ...(digests[at] as Digest),
  }));
  return {
    document: source.is.document,
    resumedAt,
    tables: reported.filter(({ isOwn, rows }) => !isOwn || rows > 0),
  };
}

/** @throws StoreRefused if the target belongs to another move */
async function begin(source: MoveSource, target: MoveTarget, tables: Tables): Promise<void> {
  const wanted: StartedMove = { ...source.is, from: source.shown };
  const started = await target.started();
  if (started === undefined) return target.begin(wanted, tables);
  if (
    started.from === wanted.from &&
    started.document === wanted.document &&
    started.tables === wanted.tables
  )
    return;
  throw new StoreRefused(
    `${target.shown} is a copy of ${started.from} that isn't finished${started.from === wanted.from ? ", and that store was replaced since" : ""}.`,
    "Continue that copy, or delete the copy and start again.",
  );
}

/** @throws StoreRefused if a table of the source has something for which the target has no place */
async function tablesMoved(
  source: MoveEnd,
  target: MoveEnd,
  { tables }: Tables,
): Promise<readonly MovedTable[]> {
  const own: MovedTable[] = [];
  for (const { left = [], ...table } of movedSystemTables) {
    const columns = (await source.ownColumns(table.name)).filter(({ name }) => !left.includes(name));
    const there = await target.ownColumns(table.name);
    const missingColumn = columns.find(({ name }) => !there.some((column) => column.name === name));
    if (missingColumn)
      throw new StoreRefused(
        `${target.shown} has no place for ${table.name}.${missingColumn.name} of ${source.shown}.`,
        "Serve both once with the same version of Ninefold, then copy.",
      );
    own.push({ ...table, isOwn: true, columns });
  }
  return [...tables.map(movedRecords), ...own];
}

async function countsOf(
  end: MoveEnd,
  tables: readonly MovedTable[],
): Promise<ReadonlyMap<MovedTable, number>> {
  const counts = new Map<MovedTable, number>();
  for (const table of tables) counts.set(table, await end.count(table));
  return counts;
}

async function* pagesOf(
  end: MoveEnd,
  table: MovedTable,
  behind?: Parameters<MoveEnd["page"]>[1],
): AsyncGenerator<readonly MovedRow[]> {
  let place = behind;
  for (;;) {
    const page = await end.page(table, place);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    place = rowPosition(table, last);
  }
}

/** Reads both again in full. @throws StoreRefused if they differ */
async function compare(
  source: MoveEnd,
  target: MoveEnd,
  tables: readonly MovedTable[],
  onRows: (compared: number) => void,
): Promise<readonly Digest[]> {
  const digests: Digest[] = [];
  const different: string[] = [];
  let compared = 0;
  for (const table of tables) {
    const [theirs, ours] = await Promise.all([
      digestOf(pagesOf(source, table)),
      digestOf(pagesOf(target, table)),
    ]);
    if (theirs.rows !== ours.rows) different.push(`${table.name} (${ours.rows} rows of ${theirs.rows})`);
    else if (theirs.hash !== ours.hash)
      different.push(`${table.name} (other values in its ${ours.rows} rows)`);
    digests.push(theirs);
    compared += theirs.rows;
    onRows(compared);
  }
  if (different.length === 0) return digests;
  throw new StoreRefused(
    `${target.shown} is not the same as ${source.shown}: ${different.join(", ")}. It stays unfinished and can't be served.`,
    "The source may have been served between two attempts. Delete the copy, and start again.",
  );
}

/** Where row numbers continue: those of deleted rows are not assigned again. */
async function numbersGiven(
  source: MoveEnd,
  tables: readonly MovedTable[],
): Promise<ReadonlyMap<MovedTable, number>> {
  const given = new Map<MovedTable, number>();
  for (const table of tables)
    if (table.counted !== undefined) given.set(table, await source.lastGiven(table));
  return given;
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}
