/** The two formats of record files, by file extension. */
import { WrongUsage } from "../command.ts";
import { type VerbArguments, textOf } from "./verb.ts";

export type RecordsForm = "jsonl" | "csv";

/** @throws WrongUsage */
export function recordsForm(file: string): RecordsForm {
  if (/\.(?:jsonl|ndjson)$/i.test(file)) return "jsonl";
  if (/\.csv$/i.test(file)) return "csv";
  throw new WrongUsage(`The file name must end in .jsonl (one JSON object per line) or .csv, not "${file}".`);
}

/** The text for null in CSV; empty by default. @throws WrongUsage */
export function nullText(given: VerbArguments, form: RecordsForm): string {
  const nothing = textOf(given, "null");
  if (nothing === undefined) return "";
  if (form !== "csv") throw new WrongUsage("--null requires CSV: JSON has null.");
  if (/[",\r\n]|^\s|\s$/.test(nothing) || nothing === "")
    throw new WrongUsage("--null takes a word without quotes, commas and spaces, such as NULL.");
  return nothing;
}
