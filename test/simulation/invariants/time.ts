/**
 * Invariants of time: no due work is left, and each scheduled transition has its due time stored.
 */
import type { DueTimer } from "../../../src/store/store.ts";
import type { Invariant, Moment } from "../moment.ts";

const most = 100_000;

async function timersOf({ world }: Moment, untilMs: number): Promise<readonly DueTimer[]> {
  return world.store.session.system.dueTimers(untilMs, most);
}

/** Due work is done even without requests. */
export const nothingLeftDue: Invariant = async (moment) => {
  const left = (await timersOf(moment, moment.nowMs)).filter(({ failures }) => failures === 0);
  return left.map(
    ({ resource, row, transition, dueAt }) =>
      `${transition} of ${resource} ${row} was due at ${new Date(dueAt).toISOString()}, and is still`,
  );
};

/**
 * Exactly the records in a state with a timed transition have a timer, and it has the right time.
 */
export const timersAsStated: Invariant = async (moment) => {
  const { played, after, nowMs } = moment;
  const wrong: string[] = [];
  const timers = new Map(
    (await timersOf(moment, Number.MAX_SAFE_INTEGER)).map((timer) => [
      `${timer.resource} ${timer.row} ${timer.transition} ${timer.end}`,
      timer,
    ]),
  );
  const expected = new Set<string>();
  for (const resource of played.model.resources) {
    const { states, name, kept } = resource;
    if (resource.identifier.kind === "none" || resource.gap || (!states && !kept)) continue;
    for (const [key, record] of after.records) {
      if (!key.startsWith(`${name} `) || record["#deleted"] === true) continue;
      if (kept) expected.add(`${key} #kept 0`);
      for (const transition of states?.transitions ?? []) {
        for (const [at, end] of transition.ends.entries()) {
          const { trigger } = end;
          const state = states?.field === undefined ? undefined : record[states.field];
          const isIn = end.from === "any" || state === undefined || end.from.includes(String(state));
          if (!isIn || (trigger.kind !== "at" && trigger.kind !== "after")) continue;
          const timer = timers.get(`${key} ${transition.name} ${at}`);
          expected.add(`${key} ${transition.name} ${at}`);
          if (trigger.kind === "at") {
            const time = record[trigger.field];
            const dueAt = typeof time === "string" ? Date.parse(time) : null;
            // A failed transition has a later time, and one whose guard was false waits for a
            // change.
            if (dueAt !== null && dueAt > nowMs && timer?.failures === 0 && timer.dueAt !== dueAt)
              wrong.push(
                `${transition.name} of ${key} is due at ${timer.dueAt}, and ${trigger.field} says ${dueAt}`,
              );
            if (dueAt !== null && dueAt > nowMs && !timer)
              wrong.push(`${transition.name} of ${key} will never be due`);
          } else if (!end.guard && !timer && end.to !== "same" && end.to !== state)
            wrong.push(`${transition.name} of ${key} will never be due`);
          else if (timer && timer.failures === 0 && timer.dueAt > nowMs + trigger.milliseconds)
            wrong.push(`${transition.name} of ${key} is due later than ${trigger.milliseconds} ms from now`);
        }
      }
    }
  }
  for (const [key] of timers) if (!expected.has(key)) wrong.push(`${key} waits for a time that nothing says`);
  return wrong;
};
