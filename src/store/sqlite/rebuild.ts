/** SQLite's own way to change a table beyond `ALTER TABLE`: a new one, the rows, and the old name. */
import type { Table, Tables } from "../tables.ts";
import type { Connection } from "./connection.ts";
import { quoted, tableName, quotedTable } from "../sql/fragment.ts";
import { createTable } from "./ddl.ts";

export function rebuild(
  table: Table,
  kept: readonly string[],
  wasMarked: boolean,
  { connection, tables }: { readonly connection: Connection; readonly tables: Tables },
): void {
  const temporary = "#rebuilt";
  const hidden = table.marked && wasMarked ? ["#row", "#revision", "#deleted"] : ["#row", "#revision"];
  const columns = [...hidden, ...kept].map(quoted).join(", ");
  const sequence = connection
    .prepare("SELECT seq FROM sqlite_sequence WHERE name = ?")
    .get([tableName(table.name)]);
  connection.exec(createTable(table, tables, temporary));
  connection.exec(
    `INSERT INTO ${quoted(temporary)} (${columns}) SELECT ${columns} FROM ${quotedTable(table.name)} ORDER BY "#row"`,
  );
  connection.exec(`DROP TABLE ${quotedTable(table.name)}`);
  connection.exec(`ALTER TABLE ${quoted(temporary)} RENAME TO ${quotedTable(table.name)}`);
  // Numbers of records that are gone stay used.
  connection.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run([tableName(table.name)]);
  if (sequence)
    connection
      .prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
      .run([tableName(table.name), sequence[0] as number]);
}
