/**
 * Reports what a stored change did to the records of a copy: each table is copied before the step
 * and compared with the result. The report thus shows the actual changes, however they were made.
 */
import type { PlanExample, PlanLine } from "../plan/plan.ts";
import type { PlannedChange } from "../plan/planning.ts";
import type { Steps } from "../../rows/steps.ts";
import { quoted } from "../../sql/fragment.ts";
import type { Column, Table } from "../../tables.ts";
import { labelColumns, shownIn, shownLabel } from "./shown.ts";
import { allOf, countOf, run } from "./steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";

const examplesMax = 5;

/** A table before the step and after it. */
interface Pair {
  readonly before: Table;
  readonly after: Table | undefined;
  /** The name of each column after the step. */
  readonly called: ReadonlyMap<string, string>;
  /** The table with the records before the step. */
  readonly kept: string;
  /** Fields that are computed from hidden values. */
  readonly unseen: ReadonlySet<string>;
}

/** Copies the records that the step may touch. Returns a function that compares them after the step. */
export function* keepOutside(
  change: PlannedChange,
  words: MigrationDialect,
): Steps<() => Steps<readonly PlanLine[]>> {
  const pairs = pairsOf(change);
  for (const { before, kept } of pairs) {
    const names = [...(before.marked ? ["#deleted"] : []), ...before.columns.map(({ name }) => name)];
    const columns = names.map(words.column);
    for (const statement of words.keepOutside(words.table(before.name), quoted(kept), columns))
      yield* run(statement);
  }
  return function* () {
    const lines: PlanLine[] = [];
    for (const pair of pairs) lines.push(...(yield* linesOf(pair, words)));
    for (const table of change.made) lines.push(...(yield* linesOfMade(table, words)));
    for (const { kept } of pairs) yield* run(`DROP TABLE ${quoted(kept)}`);
    return lines;
  };
}

function pairsOf(change: PlannedChange): readonly Pair[] {
  const effects = change.changes.flatMap(({ forEach }) => forEach.flatMap((one) => one.effects));
  // Effects may create or delete records in tables that stay as they are.
  const touched = new Set(effects.flatMap((one) => (one.kind === "assign" ? [] : [one.resource])));
  const others = change.before.tables.filter(
    ({ name }) => touched.has(name) && !change.changes.some(({ before }) => before.name === name),
  );
  const texts = change.step.forEach.map((one) => one.effects.text).join(" ");
  const isRead = ({ name, hidden }: Column) => hidden && new RegExp(`\\b${name}\\b`).test(texts);
  const readsUnseen = change.before.tables.some(({ columns }) => columns.some(isRead));
  const pairs = [
    ...change.changes,
    ...others.map((before) => ({
      before,
      after: change.after.tables.find(({ name }) => name === before.name),
      columns: [],
    })),
  ];
  return pairs.map(({ before, after, columns }, at) => ({
    before,
    after,
    called: new Map(columns.map(({ from, to }) => [from, to])),
    kept: `#was ${at}`,
    unseen: new Set(
      readsUnseen
        ? change.step.forEach.flatMap(({ assigns, gives }) => [
            ...assigns,
            ...gives.flatMap(({ fields }) => fields),
          ])
        : [],
    ),
  }));
}

function* linesOf(pair: Pair, words: MigrationDialect): Steps<readonly PlanLine[]> {
  const { before, after, kept } = pair;
  const was = quoted(kept);
  const all = yield* countOf(was);
  if (!after) return [plain(`${before.name} goes: ${records(all)}`, false)];
  const now = words.table(after.name);
  const lines: PlanLine[] = [];
  if (before.name !== after.name)
    lines.push(plain(`${before.name} becomes ${after.name}: ${records(all)}`, true));
  const both = `${was} AS w JOIN ${now} AS n ON n."#row" = w."#row"`;
  const former = before.columns.map((column) => ({
    column,
    to: pair.called.get(column.name) ?? column.name,
  }));
  for (const { column, to } of former) {
    const became = after.columns.find(({ name }) => name === to);
    const said = `${was} AS w WHERE w.${words.column(column.name)} IS NOT NULL`;
    if (!became) {
      const line = `${after.name}.${to} goes: its value in ${records(yield* countOf(said))}`;
      lines.push(yield* exampled(line, said, { pair, column }, words));
      continue;
    }
    if (to !== column.name) {
      const many = records(yield* countOf(said));
      lines.push(plain(`${before.name}.${column.name} becomes ${after.name}.${to}: ${many}`, true));
    }
    const changed = `${both} WHERE ${words.becameOther("w", column, "n", became)}`;
    const many = yield* countOf(changed);
    if (many > 0)
      lines.push(
        yield* exampled(`${after.name}.${to}: ${share(many, all)}`, changed, { pair, column, became }, words),
      );
  }
  for (const became of after.columns) {
    if (former.some(({ to }) => to === became.name)) continue;
    const filled = `${both} WHERE n.${words.column(became.name)} IS NOT NULL`;
    const many = yield* countOf(filled);
    const line = `${after.name}.${became.name} is new: ${many === 0 ? "nothing in it yet" : `a value in ${share(many, all)}`}`;
    lines.push(yield* exampled(line, filled, { pair, became }, words));
  }
  const deleted =
    after.marked && before.marked
      ? `${both} WHERE w."#deleted" = FALSE AND n."#deleted" = TRUE`
      : `${was} AS w WHERE NOT EXISTS (SELECT 1 FROM ${now} AS n WHERE n."#row" = w."#row")`;
  const many = yield* countOf(deleted);
  if (many > 0)
    lines.push(yield* exampled(`${after.name}: ${share(many, all)} deleted`, deleted, { pair }, words));
  const more = `NOT EXISTS (SELECT 1 FROM ${was} AS w WHERE w."#row" = n."#row")`;
  return [...lines, ...(yield* linesOfMade(after, words, more, pair.unseen))];
}

const plain = (text: string, isSafe: boolean): PlanLine => ({ text, isSafe, examples: [], hasMore: false });

interface Shown {
  readonly pair: Pair;
  readonly column?: Column;
  readonly became?: Column;
}

/** @param from the records: `w` is the record before the step, `n` after it */
function* exampled(
  text: string,
  from: string,
  { pair, column, became }: Shown,
  words: MigrationDialect,
): Steps<PlanLine> {
  const labels = labelColumns(pair.before, (name) => `w.${words.column(name)}`, `w."#row"`);
  const values = [
    column ? `w.${words.column(column.name)}` : "NULL",
    became ? `n.${words.column(became.name)}` : "NULL",
  ];
  const hidden =
    column?.hidden || became?.hidden || (became && pair.unseen.has(became.name))
      ? { hidden: true as const }
      : {};
  const rows = yield* allOf(
    `SELECT ${[...values, ...labels].join(", ")} FROM ${from} ORDER BY w."#row" LIMIT ${examplesMax + 1}`,
  );
  const examples = rows.slice(0, examplesMax).map(
    ([was = null, now = null, ...label]): PlanExample => ({
      record: shownLabel(label),
      ...(column && { before: shownIn(was, { ...column, ...hidden }, words) }),
      ...(became && { after: shownIn(now, { ...became, ...hidden }, words) }),
    }),
  );
  return { text, isSafe: examples.length === 0, examples, hasMore: rows.length > examplesMax };
}

/** The maximum number of fields shown of a new record. */
const fieldsMax = 3;

/**
 * Records that the step has created.
 * @param which a condition over the table, `n`; without it all records are new
 */
function* linesOfMade(
  table: Table,
  words: MigrationDialect,
  which = "TRUE",
  unseen: ReadonlySet<string> = new Set(),
): Steps<readonly PlanLine[]> {
  const from = `${words.table(table.name)} AS n WHERE ${which}`;
  const count = yield* countOf(from);
  if (count === 0) return which === "TRUE" ? [plain(`${table.name} is a new resource`, true)] : [];
  const shown = table.columns
    .filter(({ name, hidden }) => !hidden && !unseen.has(name) && !table.identifier.includes(name))
    .slice(0, fieldsMax);
  const labels = labelColumns(table, words.column);
  const columns = [...labels, ...shown.map(({ name }) => words.column(name))].join(", ");
  const rows = yield* allOf(`SELECT ${columns} FROM ${from} ORDER BY "#row" LIMIT ${examplesMax + 1}`);
  const examples = rows.slice(0, examplesMax).map((row): PlanExample => {
    const fields = shown.map(
      (column, at) => `${column.name} ${shownIn(row[labels.length + at] ?? null, column, words)}`,
    );
    return { record: shownLabel(row.slice(0, labels.length)), after: fields.join(", ") };
  });
  const are = count === 1 ? "is" : "are";
  const text = `${table.name}: ${records(count)} ${are} made`;
  return [{ text, isSafe: false, examples, hasMore: rows.length > examplesMax }];
}

function records(count: number): string {
  return `${count.toLocaleString("en")} record${count === 1 ? "" : "s"}`;
}

function share(count: number, all: number): string {
  return `${count.toLocaleString("en")} of ${records(all)}`;
}
