/** Responses of a sandbox's operations API as text. */
import { recordLines } from "../record-lines.ts";

export interface ClockResponse {
  readonly now: string;
  readonly stopped: boolean;
}

export interface SpaceResponse {
  readonly space: string;
  readonly clock: ClockResponse;
  readonly records: Readonly<Record<string, number>>;
  readonly snapshots: readonly string[];
}

export interface RecordResponse {
  readonly as?: string;
  readonly resource: string;
  readonly record: Readonly<Record<string, unknown>>;
}

export function describeClock({ now, stopped }: ClockResponse): string {
  return `${now}${stopped ? ", stopped" : ""}`;
}

export function describeSpace({ space, clock, records, snapshots }: SpaceResponse): string {
  const counts = Object.entries(records).map(([resource, count]) => `${count} ${resource}`);
  return columns([
    ["data space", space],
    ["clock", describeClock(clock)],
    ["records", counts.length === 0 ? "none" : counts.join(", ")],
    ["snapshots", snapshots.length === 0 ? "none" : snapshots.join(", ")],
  ]);
}

export function describeRecords(records: readonly RecordResponse[], none = "No records.\n"): string {
  if (records.length === 0) return none;
  return records
    .map(
      ({ as, resource, record }) =>
        `${resource}${as === undefined ? "" : ` as ${as}`}\n${indented(recordLines(record))}`,
    )
    .join("");
}

/** Rows as text with aligned columns. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  return rows
    .map((row) => `${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd())
    .map((line) => `${line}\n`)
    .join("");
}

function indented(lines: string): string {
  return lines.replaceAll(/^(?=.)/gm, "  ");
}
