/**
 * References inside of lists, maps and values that a stored change leaves leading nowhere: it has deleted what they lead to, or has set them. Those
 * that are fields of their own the database holds itself.
 */
import type { ReferencePlace } from "../../references.ts";
import { quoted, quotedTable } from "../../sql/fragment.ts";
import { readJson } from "../../sql/form.ts";
import { keyColumn, type Table } from "../../tables.ts";
import { storedJson } from "../questions.ts";
import type { Answers } from "./ask-before.ts";
import { broken, brokenMax } from "./broken.ts";
import { keysAt } from "./places.ts";
import type { Work } from "./work.ts";

/** Answers which records have some. Asked when the step's tables are whole, with their indexes. */
export function danglingInside(work: Work, { gone }: Answers): readonly string[] {
  const { after, changes } = work.changed;
  const lessened = new Set(
    changes.flatMap((change) => (change.after && gone.has(change.before.name) ? [change.after.name] : [])),
  );
  for (const name of gone.keys()) if (!changes.some(({ before }) => before.name === name)) lessened.add(name);
  const given = new Set(
    changes.flatMap(({ after: table, forEach }) =>
      forEach.flatMap(({ effects }) =>
        effects.flatMap((one) => {
          if (one.kind === "assign") return [`${table?.name}.${one.field}`];
          return one.kind === "make" ? one.fields.map(({ field }) => `${one.resource}.${field}`) : [];
        }),
      ),
    ),
  );
  return after.references
    .filter(({ steps }) => steps.length > 0)
    .filter((place) => lessened.has(place.to) || given.has(`${place.resource}.${place.field}`))
    .flatMap((place) => danglingAt(place, work))
    .slice(0, brokenMax);
}

function danglingAt({ resource, field, steps, to }: ReferencePlace, work: Work): readonly string[] {
  const { connection, changed } = work;
  const named = (name: string): Table | undefined => changed.after.tables.find((one) => one.name === name);
  const [table, target] = [named(resource), named(to)];
  const key = target && keyColumn(target);
  if (!table || key === undefined) return [];
  const find = connection.prepare(`SELECT 1 FROM ${quotedTable(to)} WHERE ${quoted(key)} = ?`);
  const wrong: string[] = [];
  for (const [row, json] of storedJson(resource, field, connection)) {
    const missing = keysAt(readJson(json), steps).find((one) => !find.get([one as string]));
    if (missing === undefined) continue;
    const words = `${field} would refer to a ${to} that isn't there (${JSON.stringify(missing)})`;
    wrong.push(broken(resource, labelOfRow(table, row, work), words));
    if (wrong.length === brokenMax) break;
  }
  return wrong;
}

function labelOfRow(table: Table, row: number, { connection }: Work): string {
  const columns = table.identifier.map(quoted).join(", ");
  if (columns === "") return `in row ${row}`;
  const found = connection
    .prepare(`SELECT ${columns} FROM ${quotedTable(table.name)} WHERE "#row" = ?`)
    .get([row]);
  return (found ?? []).map(String).join(", ");
}
