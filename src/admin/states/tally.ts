/**
 * How many records are in each state. They are counted once, away from where requests are answered, and kept up by what is told of moves;
 * what nobody has told of (an operator's hand, a seed) shows when they are counted again, which is done now and then while somebody looks,
 * and never for more than a small part of the time.
 */
import type { StateChange } from "../../engine/records/state-changes.ts";
import type { PlanContext } from "../../engine/records/plan-context.ts";
import type { Frame } from "../../expressions/value.ts";
import type { Query, ValueCount } from "../../store/store.ts";
import { machine } from "../../support/machine.ts";

export interface Counts {
  /** By state; what no record is in isn't there. */
  readonly states: Readonly<Record<string, number>>;
  /** Records without a state. */
  readonly none: number;
}

export interface Tally {
  /** Null where they are being counted still: `onChange` tells when they are known. */
  counts(resource: string): Promise<Counts | null>;
  /** Those that are known already. */
  known(): ReadonlyMap<string, Counts>;
  note(moves: readonly StateChange[]): void;
  /** Records of these resources have changed. */
  noteChanged(resources: Iterable<string>): void;
}

export interface TallyParts {
  readonly context: PlanContext;
  readonly newFrame: () => Frame;
  readonly nowMs: () => number;
  /** Somebody looks: what may have changed is worth counting again. */
  readonly isWatched: () => boolean;
  readonly onChange: () => void;
  /** Why it could not be counted. */
  readonly failed: (resource: string, error: unknown) => void;
}

/** Whoever asks waits so long for the first count, in milliseconds; then it is told when it comes. */
const waitMs = 250;
/** Between two counts of one resource pass at least so long, and so many times as long as one takes. */
const pause = { leastMs: 2_000, factor: 30 } as const;

interface ResourceTally {
  readonly query: Query<ValueCount>;
  counts: Map<string | null, number> | undefined;
  counting: Promise<void> | undefined;
  /** Something has changed of which no move may have told. */
  isStale: boolean;
  nextAt: number;
  timer: (() => void) | undefined;
}

export function createTally(parts: TallyParts): Tally {
  const { context, nowMs } = parts;
  const all = new Map<string, ResourceTally>();

  const oneOf = (resource: string): ResourceTally | undefined => {
    const known = all.get(resource);
    const field = context.resource(resource).machine?.field;
    if (known || field === undefined) return known;
    const query = context.store.prepareCounts(resource, field);
    const one: ResourceTally = {
      query,
      counts: undefined,
      counting: undefined,
      isStale: true,
      nextAt: 0,
      timer: undefined,
    };
    all.set(resource, one);
    return one;
  };

  const count = (resource: string, one: ResourceTally): Promise<void> => {
    one.counting ??= countNow(one)
      .catch((error: unknown) => {
        one.isStale = true;
        one.nextAt = nowMs() + pause.leastMs * pause.factor;
        parts.failed(resource, error);
      })
      .finally(() => {
        one.counting = undefined;
        parts.onChange();
        again(resource, one);
      });
    return one.counting;
  };

  const countNow = async (one: ResourceTally): Promise<void> => {
    const beganMs = nowMs();
    one.isStale = false;
    const counted = await context.store.session.counts(one.query, parts.newFrame());
    one.counts = new Map(counted.map(({ value, count }) => [value as string | null, count]));
    one.nextAt = nowMs() + Math.max(pause.leastMs, (nowMs() - beganMs) * pause.factor);
  };

  /** Counts again when its time has come, where that is worth it. */
  const again = (resource: string, one: ResourceTally) => {
    if (!one.isStale || one.timer || one.counting || !parts.isWatched()) return;
    one.timer = machine.after(
      Math.max(0, one.nextAt - nowMs()),
      () => {
        one.timer = undefined;
        if (one.isStale && parts.isWatched()) void count(resource, one);
      },
      true,
    );
  };

  return {
    async counts(resource) {
      const one = oneOf(resource);
      if (!one) return null;
      if (!one.counts || (one.isStale && nowMs() >= one.nextAt)) {
        const late = new Promise<void>((resolve) => void machine.after(waitMs, resolve, true));
        await Promise.race([count(resource, one), late]);
      }
      return one.counts ? told(one.counts) : null;
    },
    known: () => new Map([...all].flatMap(([name, { counts }]) => (counts ? [[name, told(counts)]] : []))),
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
        const one = all.get(resource);
        if (!one) continue;
        one.isStale = true;
        again(resource, one);
      }
    },
  };
}

function told(counts: ReadonlyMap<string | null, number>): Counts {
  const states: Record<string, number> = Object.create(null);
  for (const [state, count] of counts) if (state !== null && count > 0) states[state] = count;
  return { states, none: counts.get(null) ?? 0 };
}
