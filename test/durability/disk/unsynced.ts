/**
 * A planted fault that power cuts must detect: changes are acknowledged before the disk has them.
 */
import { readFileSync } from "node:fs";
import { pathOf } from "../../repository/repository.ts";

export function unsynced(): string {
  const file = pathOf("src/store/sqlite/connection/connection.ts");
  const line = `expectSetting(database, path, "synchronous", 2);`;
  const start = readFileSync(file, "utf8").indexOf(line);
  if (start < 0) throw new Error(`${line} is no longer in ${file}`);
  const replacement = `database.exec("PRAGMA synchronous = NORMAL");`;
  return JSON.stringify({ file, start, end: start + line.length, replacement });
}
