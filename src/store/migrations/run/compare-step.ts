/**
 * Comparison for dry runs: reports what a stored change does to records. It compares the old tables
 * with the next tables before the swap, so the report shows the actual changes.
 */
import type { RecordValue } from "../../../expressions/value.ts";
import type { TableChange } from "../plan/changed-tables.ts";
import type { PlanExample, PlanLine } from "../plan/store-plan.ts";
import type { Steps } from "../../rows/steps.ts";
import type { NextTable } from "./next-tables.ts";
import { keptFields } from "./old-records.ts";
import { recordText, valueText } from "./value-text.ts";
import { eachSlice } from "./steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { keptColumns } from "../plan/renamed-tables.ts";
import type { PlannedChange } from "../plan/planned-change.ts";
import type { Column, Table } from "../../table.ts";

const examplesMax = 5;

/** @param next the complete next tables; none of a change that only renames */
export function* compareStep(
  change: PlannedChange,
  next: ReadonlyMap<string, NextTable>,
  words: MigrationDialect,
): Steps<readonly PlanLine[]> {
  const lines: PlanLine[] = [];
  const unseen = unseenFields(change);
  for (const tableChange of change.changes) lines.push(...(yield* linesOf(tableChange, next, unseen, words)));
  for (const table of change.made) {
    const made = new MadeRecords(table, new Set());
    const { called } = next.get(table.name) as NextTable;
    yield* eachSlice(table, words, { called }, (records) => {
      for (const record of records) made.add(record);
    });
    lines.push(...(made.count === 0 ? [plain(`${table.name} is a new resource`, true)] : made.lines()));
  }
  for (const field of change.endedTokens)
    lines.push(
      plain(`Tokens that contain ${field} end, because the step may give its values to others`, false),
    );
  return lines;
}

/**
 * Fields that a step sets and that may be computed from hidden values, because one of its
 * expressions reads a hidden field.
 */
function unseenFields({ step, before }: PlannedChange): ReadonlySet<string> {
  const texts = step.forEach.map(({ effects }) => effects.text).join(" ");
  const isRead = ({ name, hidden }: Column) => hidden && new RegExp(`\\b${name}\\b`).test(texts);
  if (!before.tables.some(({ columns }) => columns.some(isRead))) return new Set();
  return new Set(
    step.forEach.flatMap(({ assigns, gives }) => [...assigns, ...gives.flatMap(({ fields }) => fields)]),
  );
}

function* linesOf(
  change: TableChange,
  next: ReadonlyMap<string, NextTable>,
  unseen: ReadonlySet<string>,
  words: MigrationDialect,
): Steps<readonly PlanLine[]> {
  const compared = new ComparedTable(change, unseen);
  const { after } = change;
  const written = after && next.get(after.name);
  const fieldsOf = keptFields(change);
  let last = 0;
  yield* eachSlice(change.before, words, {}, function* (records) {
    const to = records.at(-1)?.["#row"] ?? last;
    const newRecords = new Map<number, RecordValue>();
    if (written) {
      const where = `"#row" > ${last} AND "#row" <= ${to}`;
      yield* eachSlice(written.table, words, { called: written.called, where }, (all) => {
        for (const record of all) newRecords.set(record["#row"], record);
      });
    }
    for (const old of records)
      compared.add(old, written ? newRecords.get(old["#row"]) : { ...old, ...fieldsOf(old) });
    last = to;
  });
  if (written)
    yield* eachSlice(
      written.table,
      words,
      { called: written.called, where: `"#row" > ${last}` },
      (records) => {
        for (const record of records) compared.made?.add(record);
      },
    );
  return compared.lines();
}

/** The records of one table before and after a step. */
class ComparedTable {
  readonly made: MadeRecords | undefined;
  readonly #change: TableChange;
  /** The old columns in their order, followed by the new ones. */
  readonly #columns: readonly ComparedColumn[];
  readonly #deleted = new Examples();
  #all = 0;

  constructor(change: TableChange, unseen: ReadonlySet<string>) {
    const { before, after } = change;
    this.#change = change;
    const names = new Map(keptColumns(change).map(({ column, to }) => [column, to]));
    const old = before.columns.map((column) => {
      const to = names.get(column);
      const now = after?.columns.find(({ name }) => name === to);
      return new ComparedColumn(to ?? column.name, column, now, unseen);
    });
    const kept = new Set(names.values());
    const added = (after?.columns ?? []).filter(({ name }) => !kept.has(name));
    this.#columns = [
      ...old,
      ...added.map((column) => new ComparedColumn(column.name, undefined, column, unseen)),
    ];
    if (after) this.made = new MadeRecords(after, unseen);
  }

  /** @param newRecord undefined for a record that the step deletes */
  add(old: RecordValue, newRecord: RecordValue | undefined): void {
    const { before, after } = this.#change;
    this.#all += 1;
    const label = (): string => recordText(old, before);
    const isDeleted = !newRecord || (newRecord["#deleted"] === true && old["#deleted"] !== true);
    if (after && isDeleted) this.#deleted.add(() => ({ record: label() }));
    for (const column of this.#columns) column.add(old, newRecord, label);
  }

  lines(): readonly PlanLine[] {
    const { before, after } = this.#change;
    if (!after) return [plain(`${before.name} is removed: ${records(this.#all)}`, false)];
    const renamed = `${before.name} is renamed to ${after.name}: ${records(this.#all)}`;
    const deleted = `${after.name}: ${share(this.#deleted.count, this.#all)} deleted`;
    return [
      ...(before.name === after.name ? [] : [plain(renamed, true)]),
      ...this.#columns.flatMap((column) => column.lines(before.name, after.name, this.#all)),
      ...(this.#deleted.count > 0 ? [this.#deleted.line(deleted)] : []),
      ...(this.made?.lines() ?? []),
    ];
  }
}

/**
 * A column before and after a step. Without `was` the column is new; without `now` it is removed.
 */
class ComparedColumn {
  readonly to: string;
  readonly #before: Column | undefined;
  readonly #now: Column | undefined;
  readonly #hidden: Pick<Column, "hidden">;
  /** Records with a value that is removed, new or changed. */
  readonly #changed = new Examples();
  #held = 0;

  constructor(to: string, was: Column | undefined, now: Column | undefined, unseen: ReadonlySet<string>) {
    this.to = to;
    this.#before = was;
    this.#now = now;
    this.#hidden = was?.hidden || now?.hidden || (now && unseen.has(to)) ? { hidden: true } : {};
  }

  add(old: RecordValue, newRecord: RecordValue | undefined, label: () => string): void {
    const [was, now] = [this.#before, this.#now];
    const before = was ? (old[was.name] ?? null) : null;
    const after = now && newRecord ? (newRecord[now.name] ?? null) : null;
    if (before !== null) this.#held += 1;
    if ((now && !newRecord) || JSON.stringify(before) === JSON.stringify(after)) return;
    this.#changed.add(() => ({
      record: label(),
      ...(was && { before: valueText(before, { ...was, ...this.#hidden }) }),
      ...(now && { after: valueText(after, { ...now, ...this.#hidden }) }),
    }));
  }

  lines(before: string, after: string, all: number): readonly PlanLine[] {
    const { count } = this.#changed;
    const name = `${after}.${this.to}`;
    if (!this.#now) return [this.#changed.line(`${name} is removed: its value in ${records(count)}`)];
    if (!this.#before) {
      const summary = count === 0 ? "no record has a value" : `a value in ${share(count, all)}`;
      return [this.#changed.line(`${name} is new: ${summary}`)];
    }
    const renamed = `${before}.${this.#before.name} is renamed to ${name}: ${records(this.#held)}`;
    return [
      ...(this.#before.name === this.to ? [] : [plain(renamed, true)]),
      ...(count > 0 ? [this.#changed.line(`${name}: ${share(count, all)}`)] : []),
    ];
  }
}

/** The maximum number of fields shown of a new record. */
const fieldsMax = 3;

/** Records that the step has created. */
class MadeRecords {
  readonly #table: Table;
  readonly #shown: readonly Column[];
  readonly #examples = new Examples();

  constructor(table: Table, unseen: ReadonlySet<string>) {
    this.#table = table;
    this.#shown = table.columns
      .filter(({ name, hidden }) => !hidden && !unseen.has(name) && !table.identifier.includes(name))
      .slice(0, fieldsMax);
  }

  get count(): number {
    return this.#examples.count;
  }

  add(record: RecordValue): void {
    this.#examples.add(() => {
      const shown = (column: Column): string =>
        `${column.name} ${valueText(record[column.name] ?? null, column)}`;
      return { record: recordText(record, this.#table), after: this.#shown.map(shown).join(", ") };
    });
  }

  lines(): readonly PlanLine[] {
    if (this.count === 0) return [];
    const line = `${this.#table.name}: ${records(this.count)} ${this.count === 1 ? "is" : "are"} created`;
    return [this.#examples.line(line)];
  }
}

/** The number of records, and the first of them. */
class Examples {
  count = 0;
  readonly #first: PlanExample[] = [];

  add(example: () => PlanExample): void {
    this.count += 1;
    if (this.#first.length < examplesMax) this.#first.push(example());
  }

  line(text: string): PlanLine {
    return {
      text,
      isSafe: this.count === 0,
      examples: this.#first,
      hasMore: this.count > this.#first.length,
    };
  }
}

const plain = (text: string, isSafe: boolean): PlanLine => ({ text, isSafe, examples: [], hasMore: false });

function records(count: number): string {
  return `${count.toLocaleString("en")} record${count === 1 ? "" : "s"}`;
}

function share(count: number, all: number): string {
  return `${count.toLocaleString("en")} of ${records(all)}`;
}
