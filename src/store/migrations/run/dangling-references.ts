/**
 * Dangling references inside lists, maps and values, after a stored change has deleted their
 * targets or set them. References that have a column are foreign keys of the database. After a
 * change of `any case` all references may dangle.
 */
import type { Value } from "../../../expressions/value.ts";
import type { ReferencePlace } from "../../../model/resources/reference-places.ts";
import { firstRow, type Steps } from "../../rows/steps.ts";
import { readJson } from "../../sql/form.ts";
import { jointKeyColumn, keyColumn } from "../../tables.ts";
import type { SnapshotQueries } from "./snapshot-queries.ts";
import { brokenMax, labelColumns, labelText, violationText } from "./value-text.ts";
import { readKeysAt } from "./reference-places.ts";
import { eachJson, firstOf } from "./steps.ts";
import type { ChangeWork } from "./change-work.ts";
import type { Table } from "../../table.ts";

/**
 * Finds the records with dangling references. Runs when the step's tables and their indexes are
 * complete.
 */
export function* danglingReferences(
  work: ChangeWork,
  { deleted }: SnapshotQueries,
): Steps<readonly string[]> {
  const { after, changes } = work.changed;
  const lessened = new Set(
    changes.flatMap((change) => (change.after && deleted.has(change.before.name) ? [change.after.name] : [])),
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
  const isInside = ({ steps }: ReferencePlace): boolean => steps.length > 0;
  const exact = nowExact(work.changed);
  const places = after.references.filter(
    (place) =>
      exact.has(place.to) ||
      (isInside(place) && (lessened.has(place.to) || given.has(`${place.resource}.${place.field}`))),
  );
  const wrong: string[] = [];
  for (const place of places) if (wrong.length < brokenMax) wrong.push(...(yield* danglingAt(place, work)));
  return wrong.slice(0, brokenMax);
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

function* danglingAt(
  { resource, field, steps, to }: ReferencePlace,
  work: ChangeWork,
): Steps<readonly string[]> {
  const { words, changed } = work;
  const named = (name: string): Table | undefined =>
    changed.after.tables.find((candidate) => candidate.name === name);
  const [table, target] = [named(resource), named(to)];
  const key = target && keyColumn(target);
  if (!table || !target || key === undefined) return [];
  const encode = encoderOfKey(target, work);
  const keyed = target.columns.find(({ name }) => name === key);
  const isKey = keyed ? words.refersTo(keyed) : `${words.column(key)} = ?`;
  const find = { sql: `SELECT 1 FROM ${words.table(to)} WHERE ${isKey}` };
  const isInside = steps.length > 0;
  const [own, column] = [words.table(resource), words.column(field)];
  // References that have a column are compared by the database.
  const referring = isInside
    ? own
    : `(SELECT * FROM ${own} AS own WHERE NOT EXISTS (SELECT 1 FROM ${words.table(to)} AS target WHERE target.${words.column(key)} = own.${column})) AS dangling`;
  const wrong: string[] = [];
  yield* eachJson({ table: referring, column }, function* (row, text) {
    for (const item of isInside ? readKeysAt(readJson(text), steps) : [text]) {
      if ((yield firstRow(find, [encode(item)])).rows.length > 0) continue;
      const reported = `${field} would refer to a ${to} that doesn't exist (${JSON.stringify(item)})`;
      wrong.push(violationText(resource, yield* labelOfRow(table, row, work), reported));
      break;
    }
    return wrong.length < brokenMax;
  });
  return wrong;
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
