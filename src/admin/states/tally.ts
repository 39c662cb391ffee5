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

export class Tally {
  readonly #parts: TallyParts;
  readonly #all = new Map<string, ResourceTally>();

  constructor(parts: TallyParts) {
    this.#parts = parts;
  }

  /** Null during the first count; `onChange` reports the result. */
  async counts(resource: string): Promise<Counts | null> {
    const tally = this.#tallyOf(resource);
    if (!tally) return null;
    if (!tally.counts || (tally.isStale && this.#parts.nowMs() >= tally.nextAt)) {
      const timeout = new Promise<void>((resolve) => void machine.after(waitMs, resolve, true));
      await Promise.race([this.#count(resource, tally), timeout]);
    }
    return tally.counts ? toCounts(tally.counts) : null;
  }

  /** The counts that are available now. */
  known(): ReadonlyMap<string, Counts> {
    return new Map(
      [...this.#all].flatMap(([name, { counts }]) => (counts ? [[name, toCounts(counts)]] : [])),
    );
  }

  note(moves: readonly StateChange[]): void {
    for (const { resource, from, to } of moves) {
      const counts = this.#all.get(resource)?.counts;
      if (!counts) continue;
      if (from !== null) counts.set(from, Math.max(0, (counts.get(from) ?? 0) - 1));
      if (to !== null) counts.set(to, (counts.get(to) ?? 0) + 1);
    }
  }

  /** Notes that records of these resources changed. */
  noteChanged(resources: Iterable<string>): void {
    for (const resource of resources) {
      const tally = this.#all.get(resource);
      if (!tally) continue;
      tally.isStale = true;
      this.#schedule(resource, tally);
    }
  }

  #tallyOf(resource: string): ResourceTally | undefined {
    const known = this.#all.get(resource);
    const field = this.#parts.context.resource(resource).machine?.field;
    if (known || field === undefined) return known;
    const tally: ResourceTally = {
      query: this.#parts.context.store.prepareCounts(resource, field),
      counts: undefined,
      counting: undefined,
      isStale: true,
      nextAt: 0,
      timer: undefined,
    };
    this.#all.set(resource, tally);
    return tally;
  }

  #count(resource: string, tally: ResourceTally): Promise<void> {
    tally.counting ??= this.#countNow(tally)
      .catch((error: unknown) => {
        tally.isStale = true;
        tally.nextAt = this.#parts.nowMs() + pause.leastMs * pause.factor;
        this.#parts.failed(resource, error);
      })
      .finally(() => {
        tally.counting = undefined;
        this.#parts.onChange();
        this.#schedule(resource, tally);
      });
    return tally.counting;
  }

  async #countNow(tally: ResourceTally): Promise<void> {
    const beganMs = this.#parts.nowMs();
    tally.isStale = false;
    const counted = await this.#parts.context.store.session.counts(tally.query, this.#parts.newFrame());
    tally.counts = new Map(counted.map(({ value, count }) => [value as string | null, count]));
    tally.nextAt =
      this.#parts.nowMs() + Math.max(pause.leastMs, (this.#parts.nowMs() - beganMs) * pause.factor);
  }

  /** Schedules a count for the end of the interval, if there was a change. */
  #schedule(resource: string, tally: ResourceTally): void {
    if (!tally.isStale || tally.timer || tally.counting || !this.#parts.isWatched()) return;
    tally.timer = machine.after(
      Math.max(0, tally.nextAt - this.#parts.nowMs()),
      () => {
        tally.timer = undefined;
        if (tally.isStale && this.#parts.isWatched()) void this.#count(resource, tally);
      },
      true,
    );
  }
}

function toCounts(counts: ReadonlyMap<string | null, number>): Counts {
  const states: Record<string, number> = Object.create(null);
  for (const [state, count] of counts) if (state !== null && count > 0) states[state] = count;
  return { states, none: counts.get(null) ?? 0 };
}
