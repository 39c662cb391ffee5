/**
 * Recent counts: occurrences in the last minute by second, and in the last hour by minute, in fixed
 * memory.
 */

const slots = 60;

export interface RecentCount {
  add(nowMs: number): void;
  within(nowMs: number): { readonly minute: number; readonly hour: number };
}

export function createRecentCount(): RecentCount {
  const seconds = createRing(1_000);
  const minutes = createRing(60_000);
  return {
    add(nowMs) {
      seconds.add(nowMs);
      minutes.add(nowMs);
    },
    within: (nowMs) => ({ minute: seconds.sum(nowMs), hour: minutes.sum(nowMs) }),
  };
}

/** Counts of the last 60 time steps. */
function createRing(stepMs: number) {
  const counts = new Uint32Array(slots);
  let last = 0;
  /** Drops older counts. If the clock was set back, counting continues at the last time. */
  const moveTo = (nowMs: number) => {
    const step = Math.floor(nowMs / stepMs);
    if (step <= last) return;
    for (let expired = Math.max(last + 1, step - slots + 1); expired <= step; expired += 1)
      counts[expired % slots] = 0;
    last = step;
  };
  return {
    add(nowMs: number) {
      moveTo(nowMs);
      counts[last % slots] = (counts[last % slots] ?? 0) + 1;
    },
    sum(nowMs: number) {
      moveTo(nowMs);
      return counts.reduce((all, count) => all + count, 0);
    },
  };
}
