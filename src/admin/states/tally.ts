/**
 * State counts: the number of records in each state. They are counted once, off the request path,
 * and then updated from reported state changes. Changes that aren't reported (an operator's change,
 * a seed) appear with the next count. While a client watches, records are counted again at
 * intervals that keep the cost low.
 */
import type { StateChange } from "../../engine/records/state-changes.ts";
import type { PlanContext } from "../../engine/records/plan-context.ts";
import type { Frame } from "../../expressions/value.ts";
import type { Query, ValueCount } from "../../store/store.ts";
import { machine } from "../../support/machine.ts";

export interface Counts {
  /** The number of records by state; states without records are absent. */
  readonly states: Readonly<Record<string, number>>;
  /** The number of records without a state. */
  readonly none: number;
}

export interface Tally {
  /** Null during the first count; `onChange` reports the result. */
  counts(resource: string): Promise<Counts | null>;
  /** The counts that are available now. */
  known(): ReadonlyMap<string, Counts>;
  note(moves: readonly StateChange[]): void;
  /** Notes that records of these resources changed. */
  noteChanged(resources: Iterable<string>): void;
}

export interface TallyParts {
  readonly context: PlanContext;
  readonly newFrame: () => Frame;
  readonly nowMs: () => number;
  /** Called when counts are read; if true, changed ones are counted again. */
  readonly isWatched: () => boolean;
  readonly onChange: () => void;
  /** Reports a failed count. */
  readonly failed: (resource: string, error: unknown) => void;
}

/**
 * The maximum time that a client waits for the first count, in milliseconds. Later counts are
 * reported by notification.
 */
const waitMs = 250;
/**
 * The minimum interval between two counts of one resource, as a time and as a multiple of the
 * duration of a count.
 */
const pause = { leastMs: 2_000, factor: 30 } as const;

interface ResourceTally {
  readonly query: Query<ValueCount>;
  counts: Map<string | null, number> | undefined;
  counting: Promise<void> | undefined;
  /** Whether something changed that no state change reported. */
  isStale: boolean;
  nextAt: number;
  timer: (() => void) | undefined;
}

export function createTally(parts: TallyParts): Tally {
  const { context, nowMs } = parts;
  const all = new Map<string, ResourceTally>();

  const tallyOf = (resource: string): ResourceTally | undefined => {
    const known = all.get(resource);
    const field = context.resource(resource).machine?.field;
    if (known || field === undefined) return known;
    const query = context.store.prepareCounts(resource, field);
    const tally: ResourceTally = {
      query,
      counts: undefined,
      counting: undefined,
      isStale: true,
      nextAt: 0,
      timer: undefined,
    };
    all.set(resource, tally);
    return tally;
  };

  const count = (resource: string, tally: ResourceTally): Promise<void> => {
    tally.counting ??= countNow(tally)
      .catch((error: unknown) => {
        tally.isStale = true;
        tally.nextAt = nowMs() + pause.leastMs * pause.factor;
        parts.failed(resource, error);
      })
      .finally(() => {
        tally.counting = undefined;
        parts.onChange();
        schedule(resource, tally);
      });
    return tally.counting;
  };

  const countNow = async (tally: ResourceTally): Promise<void> => {
    const beganMs = nowMs();
    tally.isStale = false;
    const counted = await context.store.session.counts(tally.query, parts.newFrame());
    tally.counts = new Map(counted.map(({ value, count }) => [value as string | null, count]));
    tally.nextAt = nowMs() + Math.max(pause.leastMs, (nowMs() - beganMs) * pause.factor);
  };

  /** Schedules a count for the end of the interval, if there was a change. */
  const schedule = (resource: string, tally: ResourceTally) => {
    if (!tally.isStale || tally.timer || tally.counting || !parts.isWatched()) return;
    tally.timer = machine.after(
      Math.max(0, tally.nextAt - nowMs()),
      () => {
        tally.timer = undefined;
        if (tally.isStale && parts.isWatched()) void count(resource, tally);
      },
      true,
    );
  };

  return {
    async counts(resource) {
      const tally = tallyOf(resource);
      if (!tally) return null;
      if (!tally.counts || (tally.isStale && nowMs() >= tally.nextAt)) {
        const timeout = new Promise<void>((resolve) => void machine.after(waitMs, resolve, true));
        await Promise.race([count(resource, tally), timeout]);
      }
      return tally.counts ? toCounts(tally.counts) : null;
    },
    known: () =>
      new Map([...all].flatMap(([name, { counts }]) => (counts ? [[name, toCounts(counts)]] : []))),
    note(moves) {
      for (const { resource, from, to } of moves) {
        const counts = all.get(resource)?.counts;
        if (!counts) continue;
        if (from !== null) counts.set(from, Math.max(0, (counts.get(from) ?? 0) - 1));
        if (to !== null) counts.set(to, (counts.get(to) ?? 0) + 1);
      }
    },
    noteChanged(resources) {
      for (const resource of resources) {
        const tally = all.get(resource);
        if (!tally) continue;
        tally.isStale = true;
        schedule(resource, tally);
      }
    },
  };
}

function toCounts(counts: ReadonlyMap<string | null, number>): Counts {
  const states: Record<string, number> = Object.create(null);
  for (const [state, count] of counts) if (state !== null && count > 0) states[state] = count;
  return { states, none: counts.get(null) ?? 0 };
}
