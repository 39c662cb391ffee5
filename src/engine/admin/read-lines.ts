/**
 * Record files: reads the records of a text, as JSON lines or CSV. The command line and the
 * operations API share it.
 */
import { CsvProblem, type CsvRow, readCsv } from "../../support/formats/csv.ts";
import type { Json } from "../../support/json.ts";
import { readJsonText } from "../../support/formats/json-reader.ts";
import { nonNull } from "../../support/non-null.ts";
import type { SentFields } from "./read-fields.ts";
import type { SentCells } from "./read-cells.ts";
import type { SentLine } from "./import-records.ts";

/** A line of a file: its content, or why it can't be parsed. */
export type ReadLine = SentLine | { readonly line: number; readonly wrong: string };

export const recordForms = ["csv", "jsonl"] as const;
export type RecordForm = (typeof recordForms)[number];

/**
 * Reads all lines of a text.
 * @throws CsvProblem about the header, or if no further line can be parsed
 */
export async function readLines(text: string, form: RecordForm): Promise<readonly ReadLine[]> {
  if (form === "jsonl") return text.split("\n").flatMap((line, at) => readJsonLine(at + 1, line) ?? []);
  const lines: ReadLine[] = [];
  let columns: readonly string[] | undefined;
  for await (const row of readCsv([text])) {
    if (columns) lines.push(readCsvLine(row, columns, ""));
    else columns = columnsOfHeader(row);
  }
  return lines;
}

/** Parses a JSON line; undefined for an empty line. */
export function readJsonLine(line: number, text: string): ReadLine | undefined {
  if (text.trim() === "") return undefined;
  const read = readJsonText(text);
  if (read.problem !== undefined)
    return { line, wrong: `Invalid JSON: ${read.problem.replace(" at line 1, column", " at column")}.` };
  if (!isJsonObject(read.json))
    return { line, wrong: "Each line must be a JSON object with the fields of one record." };
  return { line, fields: read.json };
}

function isJsonObject(json: Json): json is SentFields {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/**
 * Returns the field names of the header.
 * @throws CsvProblem
 */
export function columnsOfHeader({ line, cells }: CsvRow): readonly string[] {
  const columns = cells.map(({ text }) => text.trim());
  for (const [at, column] of columns.entries()) {
    if (column === "")
      throw new CsvProblem(line, `Column ${at + 1} has no name. The first row names the fields.`);
    if (columns.indexOf(column) !== at) throw new CsvProblem(line, `Duplicate column "${column}".`);
  }
  return columns;
}

/** @param nothing the text that represents null */
export function readCsvLine({ line, cells }: CsvRow, columns: readonly string[], nothing: string): ReadLine {
  if (cells.length !== columns.length)
    return { line, wrong: `It has ${cells.length} cells, and the header ${columns.length}.` };
  const sent: [string, string | null][] = [];
  for (const [at, { text, isQuoted }] of cells.entries()) {
    if (!isQuoted && text === "") continue;
    sent.push([nonNull(columns[at]), !isQuoted && text === nothing ? null : text]);
  }
  const named: SentCells = Object.fromEntries(sent);
  return { line, cells: named };
}
