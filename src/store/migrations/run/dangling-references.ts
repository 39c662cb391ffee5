/**
 * Dangling references after a stored change has deleted their targets or set them, or after a
 * change of `any case`. Foreign keys wouldn't name the records, and a reference without one exists
 * on PostgreSQL to an identifier in any case, and inside lists, maps and values.
 */
import type { Value } from "../../../expressions/value.ts";
import type { ReferencePlace } from "../../../model/resources/reference-places.ts";
import { firstRow, type Steps } from "../../rows/steps.ts";
import { readJson } from "../../sql/form.ts";
import { jointKeyColumn, keyColumn } from "../../tables.ts";
import type { SnapshotQueries } from "./snapshot-queries.ts";
import { brokenMax, labelColumns, labelText, violationText } from "./value-text.ts";
import { readKeysWithin } from "./reference-places.ts";
import { eachJson, firstOf } from "./steps.ts";
import type { ChangeWork } from "./change-work.ts";
import type { Table } from "../../table.ts";

/**
 * Finds the records with dangling references, and those that refer to a record that the step marks
 * as deleted although `on delete` is stated. Runs when the step's tables and their indexes are
 * complete.
 */
export function* danglingReferences(
  work: ChangeWork,
  { deleted }: SnapshotQueries,
): Steps<readonly string[]> {
  const { after, changes, deletionRules } = work.changed;
  // By the names after the step.
  const gone = new Map(
    changes.flatMap((change) => {
      const rows = deleted.get(change.before.name);
      return change.after && rows !== undefined ? [[change.after.name, rows] as const] : [];
    }),
  );
  const given = new Set(
    changes.flatMap(({ after: table, forEach }) =>
      forEach.flatMap(({ effects }) =>
        effects.flatMap((effect) => {
          if (effect.kind === "assign") return [`${table?.name}.${effect.field}`];
          return effect.kind === "make"
            ? effect.fields.map(({ field }) => `${effect.resource}.${field}`)
            : [];
        }),
      ),
    ),
  );
  const isMarked = (name: string): boolean =>
    after.tables.some((table) => table.name === name && table.marked);
  const exact = nowExact(work.changed);
  const places = after.references.filter(
    ({ resource, field, to }) => exact.has(to) || gone.has(to) || given.has(`${resource}.${field}`),
  );
  const wrong: string[] = [];
  for (const place of places)
    if (wrong.length < brokenMax)
      wrong.push(...(yield* danglingAt({ place, gone, isToMarked: false }, work)));
  for (const place of deletionRules)
    if (wrong.length < brokenMax && place.stated && gone.has(place.to) && isMarked(place.to))
      wrong.push(...(yield* danglingAt({ place, gone, isToMarked: true }, work)));
  // Places inside a value that contains itself find the same references.
  return [...new Set(wrong)].slice(0, brokenMax);
}

/** The resources whose identifiers are compared exactly from now on, and were compared in any case. */
function nowExact({ changes }: ChangeWork["changed"]): ReadonlySet<string> {
  const isAnyCase = (table: Table): boolean => {
    const key = keyColumn(table);
    return table.columns.some(({ name, anyCase }) => name === key && anyCase);
  };
  return new Set(
    changes.flatMap(({ before, after }) =>
      after && isAnyCase(before) && !isAnyCase(after) ? [after.name] : [],
    ),
  );
}

interface Search {
  readonly place: ReferencePlace;
  /** The temporary tables of the row numbers that the step deletes, by the name after the step. */
  readonly gone: ReadonlyMap<string, string>;
  /** Whether it finds references to records that the step marks, and not to those that don't exist. */
  readonly isToMarked: boolean;
}

function* danglingAt(search: Search, work: ChangeWork): Steps<readonly string[]> {
  const { place, gone, isToMarked } = search;
  const { resource, field, steps, to } = place;
  const { words, changed } = work;
  const named = (name: string): Table | undefined =>
    changed.after.tables.find((candidate) => candidate.name === name);
  const [table, target] = [named(resource), named(to)];
  const key = target && keyColumn(target);
  if (!table || !target || key === undefined) return [];
  const encode = encoderOfKey(target, work);
  const keyed = target.columns.find(({ name }) => name === key);
  const isKey = keyed ? words.refersTo(keyed) : `${words.column(key)} = ?`;
  const isFound = isToMarked ? `${isKey} AND "#row" IN (SELECT row FROM ${gone.get(to)})` : isKey;
  const find = { sql: `SELECT 1 FROM ${words.table(to)} WHERE ${isFound}` };
  const isInside = steps.length > 0;
  const column = words.column(field);
  const conditions = referringRows(search, table, target);
  // References that have a column are compared by the database.
  if (!isInside)
    conditions.push(`${isToMarked ? "" : "NOT "}EXISTS (${find.sql.replace("?", () => `own.${column}`)})`);
  const referring = `(SELECT * FROM ${words.table(resource)} AS own WHERE ${conditions.join(" AND ")}) AS referring`;
  const wrong: string[] = [];
  const keysOf = readKeysWithin(place, table.columns.find(({ name }) => name === field)?.shape);
  yield* eachJson({ table: referring, column }, function* (row, text) {
    for (const item of isInside ? keysOf(readJson(text)) : [text]) {
      if ((yield firstRow(find, [encode(item)])).rows.length > 0 !== isToMarked) continue;
      const reported = isToMarked
        ? `${field} refers to a ${to} that the step deletes (${JSON.stringify(item)}), and has \`on delete ${place.onDelete}\``
        : `${field} would refer to a ${to} that doesn't exist (${JSON.stringify(item)})`;
      wrong.push(violationText(resource, yield* labelOfRow(table, row, work), reported));
      break;
    }
    return wrong.length < brokenMax;
  });
  return wrong;
}

/** Conditions for the records whose references are followed, as a request's deletion follows them. */
function referringRows({ place, gone, isToMarked }: Search, table: Table, target: Table): string[] {
  if (!table.marked) return ["TRUE"];
  const isCascade = place.onDelete === "cascade" && (isToMarked || !target.marked);
  // Records that are deleted in the same step don't prevent a deletion.
  const own = isToMarked ? gone.get(table.name) : undefined;
  return [
    isCascade ? '"#deleted" = FALSE' : "TRUE",
    ...(own === undefined ? [] : [`"#row" NOT IN (SELECT row FROM ${own})`]),
  ];
}

/** The SQL form of the keys of a table. */
function encoderOfKey(target: Table, { words, keyAfter }: Pick<ChangeWork, "words" | "keyAfter">) {
  const key = keyColumn(target);
  const column = target.columns.find(({ name }) => name === key);
  if (key === jointKeyColumn || !column) return (value: Value) => value as string | null;
  return words.encoderOf(column, keyAfter);
}

function* labelOfRow(table: Table, row: number, { words }: ChangeWork): Steps<string> {
  const columns = labelColumns(table, words.column).join(", ");
  const found = yield* firstOf(`SELECT ${columns} FROM ${words.table(table.name)} WHERE "#row" = ?`, [row]);
  return labelText(found ?? []);
}
