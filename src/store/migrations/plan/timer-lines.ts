/** Plan lines for timed transitions and `Kept`, whose records change or end at other times from now on. */
import { formatDuration } from "../../../support/quantity.ts";
import type { Table } from "../../table.ts";
import { retentionTimer, type TimerRule } from "../../timer-setting.ts";

/** A rule of both tables has the same transition and row. Stores of earlier releases don't have the rules. */
export function timerLines(earlier: Table, { name, timers = [] }: Table): readonly string[] {
  const { timers: known } = earlier;
  if (!known) return [];
  const changed = timers.flatMap((rule) => {
    const old = formerRule(rule, known);
    if (old && timeText(old) === timeText(rule)) return [];
    return [
      `${subject(name, rule)} ${timeText(rule)} from now on${old ? `, instead of ${timeText(old)}` : ""}`,
    ];
  });
  const removed = known
    .filter((rule) => !formerRule(rule, timers))
    .map((rule) => `${subject(name, rule)} at no time from now on, instead of ${timeText(rule)}`);
  return [...changed, ...removed];
}

/** The rule of the same transition and row in another list. */
export function formerRule(
  { transition, end }: TimerRule,
  rules: readonly TimerRule[],
): TimerRule | undefined {
  return rules.find((rule) => rule.transition === transition && rule.end === end);
}

function subject(resource: string, { transition }: TimerRule): string {
  return transition === retentionTimer ? `${resource} is deleted` : `${resource} ${transition} fires`;
}

/** `after 14 days`, `at expires_at` or `14 days after created_at`. */
export function timeText({ at, afterMs }: TimerRule): string {
  if (at === undefined) return `after ${formatDuration(afterMs ?? 0)}`;
  return afterMs === undefined ? `at ${at}` : `${formatDuration(afterMs)} after ${at}`;
}
