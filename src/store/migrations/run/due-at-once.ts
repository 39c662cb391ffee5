/**
 * Counts the records that a changed time of part 2 or 3 ends or changes at once: those that were kept
 * longer than the new `Kept`, or whose transition is overdue.
 */
import { timestampAt } from "../../../expressions/time.ts";
import { counted } from "../../../support/quantity.ts";
import { machine } from "../../../support/machine.ts";
import type { Steps } from "../../rows/steps.ts";
import { quotedText } from "../../sql/fragment.ts";
import type { Table } from "../../table.ts";
import type { Tables } from "../../tables.ts";
import { retentionTimer, type TimerRule } from "../../timer-setting.ts";
import { formerRule, timeText } from "../plan/timer-lines.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { countOf } from "./steps.ts";

/** Runs when all tables are as in the document. @param before the tables after the stored changes */
export function* dueAtOnce(before: Tables, after: Tables, words: MigrationDialect): Steps<readonly string[]> {
  const lines: string[] = [];
  for (const table of after.tables) {
    const known = before.tables.find(({ name }) => name === table.name)?.timers;
    for (const rule of known ? (table.timers ?? []) : []) {
      const old = known && formerRule(rule, known);
      if (old?.at === rule.at && old?.afterMs === rule.afterMs) continue;
      const due = yield* countDue(table, rule, old, words);
      if (due > 0) lines.push(lineOf(table, rule, due));
    }
  }
  return lines;
}

function lineOf({ name }: Table, rule: TimerRule, due: number): string {
  const records = counted(due, "record");
  return rule.transition === retentionTimer
    ? `${name}: ${records} ${due === 1 ? "is" : "are"} older than ${timeText(rule)}, and the start deletes ${due === 1 ? "it" : "them"}`
    : `${name} ${rule.transition} (${timeText(rule)}) is overdue for ${records}, and the start fires it`;
}

function* countDue(
  table: Table,
  rule: TimerRule,
  old: TimerRule | undefined,
  words: MigrationDialect,
): Steps<number> {
  const { name, columns, marked } = table;
  const nowMs = machine.now();
  const { at, afterMs = 0, transition, end, from } = rule;
  if (at === undefined) {
    // A duration that was there moves the ends by the difference, and a new one starts now.
    if (old?.afterMs === undefined || old.at !== undefined) return 0;
    const key = `resource = ${quotedText(name)} AND transition = ${quotedText(transition)} AND "end" = ${end}`;
    return yield* countOf(`ninefold_timers WHERE ${key} AND due_at <= ${nowMs + old.afterMs - afterMs}`);
  }
  const column = columns.find((candidate) => candidate.name === at);
  const lastTime = timestampAt(nowMs - afterMs);
  // No record is older than the calendar.
  if (!column || lastTime === null) return 0;
  const last = words.literal(column.storage === "date" ? lastTime.slice(0, 10) : lastTime, column);
  const state = columns.find(({ type }) => type === "state");
  const states = from === "any" ? [] : from.map((text) => quotedText(text));
  const conditions = [
    `${words.column(at)} <= ${last}`,
    ...(marked ? [`"#deleted" = FALSE`] : []),
    ...(state && from !== "any" ? [`${words.column(state.name)} IN (${states.join(", ")})`] : []),
  ];
  return yield* countOf(`${words.table(name)} WHERE ${conditions.join(" AND ")}`);
}
