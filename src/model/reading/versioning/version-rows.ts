/** The table of versions (3.9): `| Version | Status | Until | Changes |`. */
import { isDay } from "../any-part/day.ts";
import { type Phrase, positionIn, unquote } from "../../../source/phrase.ts";
import type { DocumentNode, TableNode } from "../../../syntax/nodes.ts";
import { afterWord, cellOf, isEmpty, isNone, isNotShown, keyText, tablesOf } from "../../../syntax/read.ts";
import type { Version } from "../../model.ts";
import { deprecatedSince } from "../../versions/version-order.ts";
import { suggestion } from "../any-part/part-reader.ts";
import type { VersioningReader } from "./version-members.ts";

export const versionColumns = ["Version", "Status", "Until", "Changes", "Meaning"];
const statuses = ["current", "supported", "deprecated", "retired"] as const;

interface VersionCells {
  readonly name: Phrase;
  readonly status: Phrase | undefined;
  readonly until: Phrase | undefined;
  readonly changes: Phrase | undefined;
}

export function versionCells(document: DocumentNode): VersionCells[] {
  return tablesOf(document.parts.versioning?.body ?? [])
    .filter(isVersionTable)
    .flatMap((table) =>
      table.rows.map((row) => ({
        name: unquote(cellOf(table, row, "Version") as Phrase),
        status: cellOf(table, row, "Status"),
        until: cellOf(table, row, "Until"),
        changes: cellOf(table, row, "Changes"),
      })),
    );
}

function isVersionTable(table: TableNode): boolean {
  return table.columns.some((column) => keyText(column) === "version");
}

/** A version without its changes, which have a heading of their own. */
export type VersionRow = Omit<Version, "changes">;

export function readVersionRows(reader: VersioningReader): VersionRow[] {
  const { reporter } = reader.context;
  const rows: VersionRow[] = [];
  for (const cells of versionCells(reader.context.document)) {
    const { name, changes } = cells;
    const before = rows.find((row) => row.name === name.text);
    if (name.text === "" || /\s/.test(name.text)) {
      reader.unreadable(name, "the name of a version, `2026-11-01` or `v1`");
      continue;
    }
    if (before) {
      const related = [{ position: before.position, message: "First defined here." }];
      reporter.report("versioning/repeated-version", positionIn(name), { name: name.text }, related);
      continue;
    }
    const { status, since } = readStatus(reader, cells);
    const until = readUntil(reader, cells);
    if (changes && isNotShown(changes)) {
      reader.gap(
        "version scheme",
        `how version ${name.text} differs from the one before`,
        positionIn(changes),
      );
    }
    rows.push({
      name: name.text,
      status,
      ...(since === undefined ? {} : { since }),
      ...(until ? { until: until.text, untilAt: positionIn(until) } : {}),
      position: positionIn(name),
    });
  }
  return rows;
}

/** A version with unknown status is served, without further reports. */
function readStatus(
  reader: VersioningReader,
  { name, status }: VersionCells,
): Pick<Version, "status" | "since"> {
  if (status === undefined || isEmpty(status) || isNotShown(status)) {
    const position = status && !isEmpty(status) ? positionIn(status) : positionIn(name);
    reader.gap("version scheme", `the status of version ${name.text}`, position);
    return { status: "supported" };
  }
  const bare = unquote(status);
  const since = afterWord(bare, "deprecated since");
  if (since) {
    if (isDay(unquote(since).text)) return { status: "deprecated", since: unquote(since).text };
    reader.unreadable(unquote(since), "a date, such as `2026-06-30`");
    return { status: "deprecated" };
  }
  const known = statuses.find((status) => status === keyText(bare));
  if (known) return { status: known };
  reader.context.reporter.report(
    "versioning/unknown-status",
    positionIn(bare),
    suggestion(bare.text, statuses),
  );
  return { status: "supported" };
}

/** Reports old versions without an end date, because clients can't know when they end. */
export function reportUndated(reader: VersioningReader, rows: readonly VersionRow[]): void {
  for (const row of rows)
    if (row.status === "deprecated" && deprecatedSince(rows, row) === undefined)
      reader.gap("version scheme", `since when version ${row.name} is deprecated`, row.position);
}

function readUntil(reader: VersioningReader, cells: VersionCells): Phrase | undefined {
  const { name, until } = cells;
  if (until === undefined || isEmpty(until) || isNone(until)) return undefined;
  if (isNotShown(until)) {
    reader.gap("version scheme", `until when version ${name.text} is served`, positionIn(until));
    return undefined;
  }
  const bare = unquote(until);
  if (!isDay(bare.text)) return reader.unreadable(bare, "a date, such as `2027-06-30`");
  return bare;
}
