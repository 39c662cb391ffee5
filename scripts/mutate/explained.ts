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
  {
    file: "src/engine/versions/upgrade.ts",
    line: "if (steps.length === 0) return undefined;",
    fault: "steps.length === 0  →  false",
    reason: "To do nothing and to have nothing to do is the same.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: 'else if (touched.has(valueWithin(input.type) ?? ""))',
    fault: 'touched.has(valueWithin(input.type) ?? "")  →  true',
    reason: "Going through a value in which nothing has changed changes nothing.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "if (known) return known;",
    fault: "known  →  false",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "plans.set(name, steps);",
    fault: "plans.set(name, steps);  →  {}",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "if (made.has(change.from)) {",
    fault: "made.has(change.from)  →  true",
    reason: "An input that was read is read a second time, to the same.",
  },
  {
    file: "src/engine/versions/undescribed.ts",
    line: "if (gone.length === 0) return undefined;",
    fault: "gone.length === 0  →  false",
    reason: "Among no endpoints none is found.",
  },
  {
    file: "src/engine/versions/in-version.ts",
    line: "const joint = model.resources.filter((resource) => identifierFields(resource).length > 1);",
    fault: "identifierFields(resource).length > 1  →  (identifierFields(resource).length >= 1)",
    reason: "What is identified by one field is shown by its value alone, whatever its name.",
  },
  {
    file: "src/engine/versions/in-version.ts",
    line: "let isOtherwise = false;",
    fault: "false  →  true",
    reason: "Names that are the same as those of now are shown as they are without them.",
  },
];
