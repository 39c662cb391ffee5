/**
 * Faults that no test can notice, or that none should, and why: they are counted by themselves. Each is found by the line on which it stands
 * and by what it makes of it, wherever that line goes.
 */

export interface Explained {
  readonly file: string;
  /** The source's line on which the fault begins, without what is around it. */
  readonly line: string;
  /** As the tool tells it. */
  readonly fault: string;
  readonly reason: string;
}

export const explained: readonly Explained[] = [
  {
    file: "src/engine/limits/rates.ts",
    line: "if (buckets.has(key)) buckets.set(key, { atMs: nowMs, aheadMs: before });",
    fault: "buckets.has(key)  →  true",
    reason:
      "A bucket that is not kept is full, and so is one that is kept with nothing taken: the same is told of both.",
  },
  {
    file: "src/engine/limits/rates.ts",
    line: "if (buckets.has(key)) buckets.set(key, { atMs: nowMs, aheadMs: left });",
    fault: "buckets.has(key)  →  true",
    reason:
      "A bucket that is not kept is full, and so is one that is kept with nothing taken: the same is told of both.",
  },
  {
    file: "src/engine/limits/rates.ts",
    line: "if (over > 1e-6) {",
    fault: "over > 1e-6  →  (over >= 1e-6)",
    reason:
      "The bound is for what numbers lose; nothing that is counted is beyond a bucket by exactly that much.",
  },
  {
    file: "src/engine/limits/shared-rates.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: 'const name = `${rate} ${count}/${periodMs}/${burst ?? "window"}`;',
    fault: 'burst ?? "window"  →  burst',
    reason: "Any word will do that is no number of a burst.",
  },
  {
    file: "src/engine/limits/shared-rates.ts",
    line: "return stateOf(bound, await rates.giveBack(asked(key, nowMs, cost), taken.since ?? 0), nowMs, 0);",
    fault: "taken.since ?? 0  →  taken.since",
    reason: "What a shared counter has taken always says since when; the zero is for the type alone.",
  },
];
