/** What the operations API of a sandbox answers, for people. */
import { recordLines } from "../record-lines.ts";

export interface ToldClock {
  readonly now: string;
  readonly stopped: boolean;
}

export interface ToldSpace {
  readonly space: string;
  readonly clock: ToldClock;
  readonly records: Readonly<Record<string, number>>;
  readonly snapshots: readonly string[];
}

export interface ToldRecord {
  readonly as?: string;
  readonly resource: string;
  readonly record: Readonly<Record<string, unknown>>;
}

export function tellClock({ now, stopped }: ToldClock): string {
  return `${now}${stopped ? ", standing still" : ""}`;
}

export function tellSpace({ space, clock, records, snapshots }: ToldSpace): string {
  const counts = Object.entries(records).map(([resource, count]) => `${count} ${resource}`);
  return columns([
    ["data space", space],
    ["clock", tellClock(clock)],
    ["records", counts.length === 0 ? "none" : counts.join(", ")],
    ["snapshots", snapshots.length === 0 ? "none" : snapshots.join(", ")],
  ]);
}

export function tellRecords(records: readonly ToldRecord[], none = "No records.\n"): string {
  if (records.length === 0) return none;
  return records
    .map(
      ({ as, resource, record }) =>
        `${resource}${as === undefined ? "" : ` as ${as}`}\n${indented(recordLines(record))}`,
    )
    .join("");
}

/** Rows whose columns stand below each other. */
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
