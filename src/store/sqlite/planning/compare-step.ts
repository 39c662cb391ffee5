/**
 * What a stored change has made of the records of a copy: each table is kept aside before the step and compared with what it has become. So
 * what is told is what was done, by whatever means.
 */
import type { PlanExample, PlanLine } from "../../changes/plan.ts";
import { quoted, quotedTable } from "../../sql/fragment.ts";
import type { Column, Table } from "../../tables.ts";
import type { PlannedChange } from "../../changes/planning.ts";
import type { Connection } from "../connection.ts";
import { labelColumns, shownLabel, shownValue } from "../../changing/shown.ts";

const examplesMax = 5;

/** A table before the step and after it. */
interface Pair {
  readonly before: Table;
  readonly after: Table | undefined;
  /** What each column is called afterwards. */
  readonly called: ReadonlyMap<string, string>;
  /** Where its records of before are kept. */
  readonly kept: string;
  /** Fields that are made of what nobody is shown. */
  readonly unseen: ReadonlySet<string>;
}

/** Keeps the records aside that the step may touch. Answers what it has made of them, once it was made. */
export function keepAside(change: PlannedChange, connection: Connection): () => readonly PlanLine[] {
  const pairs = pairsOf(change);
  for (const { before, kept } of pairs) {
    const columns = [`"#row"`, ...(before.marked ? [`"#deleted"`] : []), ...before.columns.map(nameOf)];
    const [, ...others] = columns;
    connection.exec(`CREATE TABLE ${quoted(kept)} (${[`"#row" INTEGER PRIMARY KEY`, ...others].join(", ")})`);
    connection.exec(
      `INSERT INTO ${quoted(kept)} SELECT ${columns.join(", ")} FROM ${quotedTable(before.name)}`,
    );
  }
  return () => {
    const lines = [
      ...pairs.flatMap((pair) => linesOf(pair, connection)),
      ...change.made.flatMap((table) => linesOfMade(table, connection)),
    ];
    for (const { kept } of pairs) connection.exec(`DROP TABLE ${quoted(kept)}`);
    return lines;
  };
}

const nameOf = ({ name }: Column): string => quoted(name);

function pairsOf(change: PlannedChange): readonly Pair[] {
  const effects = change.changes.flatMap(({ forEach }) => forEach.flatMap((one) => one.effects));
  // Records that effects make or delete may be in tables that stay as they are.
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

function linesOf(pair: Pair, connection: Connection): readonly PlanLine[] {
  const { before, after, kept } = pair;
  const count = (sql: string): number =>
    connection.prepare(`SELECT count(*) FROM ${sql}`).get([])?.[0] as number;
  const was = quoted(kept);
  const all = count(was);
  if (!after) return [plain(`${before.name} goes: ${records(all)}`, false)];
  const now = quotedTable(after.name);
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
    if (!became) {
      const gone = `${was} AS w WHERE w.${quoted(column.name)} IS NOT NULL`;
      const line = `${after.name}.${to} goes: its value in ${records(count(gone))}`;
      lines.push(exampled(line, gone, { pair, column }, connection));
      continue;
    }
    if (to !== column.name)
      lines.push(
        plain(
          `${before.name}.${column.name} becomes ${after.name}.${to}: ${records(count(`${was} WHERE ${nameOf(column)} IS NOT NULL`))}`,
          true,
        ),
      );
    const changed = `${both} WHERE ${isOther(column, became)}`;
    const many = count(changed);
    if (many > 0)
      lines.push(
        exampled(`${after.name}.${to}: ${share(many, all)}`, changed, { pair, column, became }, connection),
      );
  }
  for (const became of after.columns) {
    if (former.some(({ to }) => to === became.name)) continue;
    const filled = `${both} WHERE n.${nameOf(became)} IS NOT NULL`;
    const many = count(filled);
    const line = `${after.name}.${became.name} is new: ${many === 0 ? "nothing in it yet" : `a value in ${share(many, all)}`}`;
    lines.push(exampled(line, filled, { pair, became }, connection));
  }
  const deleted =
    after.marked && before.marked
      ? `${both} WHERE w."#deleted" = 0 AND n."#deleted" = 1`
      : `${was} AS w WHERE w."#row" NOT IN (SELECT "#row" FROM ${now})`;
  const many = count(deleted);
  if (many > 0)
    lines.push(exampled(`${after.name}: ${share(many, all)} deleted`, deleted, { pair }, connection));
  const more = `"#row" NOT IN (SELECT "#row" FROM ${was})`;
  return [...lines, ...linesOfMade(after, connection, more, pair.unseen)];
}

const plain = (text: string, isSafe: boolean): PlanLine => ({ text, isSafe, examples: [], hasMore: false });

/** Stored in another form, or with another value: both count, but for whole numbers that stand among others. */
function isOther(column: Column, became: Column): string {
  const [was, now] = [`w.${nameOf(column)}`, `n.${nameOf(became)} COLLATE BINARY`];
  return `(${was} IS NOT ${now} OR (typeof(${was}) = 'text') <> (typeof(${now}) = 'text'))`;
}

interface Shown {
  readonly pair: Pair;
  readonly column?: Column;
  readonly became?: Column;
}

/** @param from the records, `w` being what they were and `n` what they are */
function exampled(
  text: string,
  from: string,
  { pair, column, became }: Shown,
  connection: Connection,
): PlanLine {
  const labels = labelColumns(pair.before).map((one) => one.replace(/"(?:[^"]|"")+"$/, "w.$&"));
  const values = [column ? `w.${nameOf(column)}` : "NULL", became ? `n.${nameOf(became)}` : "NULL"];
  const hidden =
    column?.hidden || became?.hidden || (became && pair.unseen.has(became.name))
      ? { hidden: true as const }
      : {};
  const rows = connection
    .prepare(
      `SELECT ${[...values, ...labels].join(", ")} FROM ${from} ORDER BY w."#row" LIMIT ${examplesMax + 1}`,
    )
    .all([]);
  const examples = rows.slice(0, examplesMax).map(
    ([was = null, now = null, ...label]): PlanExample => ({
      record: shownLabel(label),
      ...(column && { before: shownValue(was, { ...column, ...hidden }) }),
      ...(became && { after: shownValue(now, { ...became, ...hidden }) }),
    }),
  );
  return { text, isSafe: examples.length === 0, examples, hasMore: rows.length > examplesMax };
}

/** So many fields of a new record are shown. */
const fieldsMax = 3;

/** Records that the step has made. @param which of the table; without it all are new */
function linesOfMade(
  table: Table,
  connection: Connection,
  which = "true",
  unseen: ReadonlySet<string> = new Set(),
): readonly PlanLine[] {
  const from = `${quotedTable(table.name)} WHERE ${which}`;
  const count = connection.prepare(`SELECT count(*) FROM ${from}`).get([])?.[0] as number;
  if (count === 0) return which === "true" ? [plain(`${table.name} is a new resource`, true)] : [];
  const shown = table.columns
    .filter(({ name, hidden }) => !hidden && !unseen.has(name) && !table.identifier.includes(name))
    .slice(0, fieldsMax);
  const labels = labelColumns(table);
  const rows = connection
    .prepare(
      `SELECT ${[...labels, ...shown.map(nameOf)].join(", ")} FROM ${from} ORDER BY "#row" LIMIT ${examplesMax + 1}`,
    )
    .all([]);
  const examples = rows.slice(0, examplesMax).map((row): PlanExample => {
    const fields = shown.map(
      (column, at) => `${column.name} ${shownValue(row[labels.length + at] ?? null, column)}`,
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
