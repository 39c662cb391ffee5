/** Shrinks a failing story: removes the steps that it doesn't need to fail in the same way. */
import { Breach, play } from "./play.ts";
import type { Step, Story } from "./story.ts";

export interface Shortened {
  readonly story: Story;
  readonly breach: Breach;
}

/** The maximum number of stories to play. */
const triesMax = 120;

export async function shortened(story: Story, breach: Breach): Promise<Shortened> {
  let best: Shortened = { story: { ...story, steps: story.steps.slice(0, breach.at + 1) }, breach };
  let tries = 0;
  const fails = async (steps: readonly Step[]): Promise<boolean> => {
    tries += 1;
    try {
      await play({ ...story, steps });
      return false;
    } catch (error) {
      if (!(error instanceof Breach) || error.invariant !== breach.invariant) return false;
      best = { story: { ...story, steps: steps.slice(0, error.at + 1) }, breach: error };
      return true;
    }
  };
  if (!(await fails(best.story.steps))) return { story, breach };
  // Removes halves first, then quarters, down to single steps; then sends fewer requests at once.
  for (let size = Math.ceil(best.story.steps.length / 2); size >= 1 && tries < triesMax; ) {
    let hasDropped = false;
    for (let from = 0; from < best.story.steps.length && tries < triesMax; ) {
      const without = best.story.steps.toSpliced(from, size);
      if (without.length < best.story.steps.length && (await fails(without))) hasDropped = true;
      else from += size;
    }
    if (size === 1 && !hasDropped) break;
    size = Math.max(1, Math.floor(size / 2));
  }
  for (const [at, step] of best.story.steps.entries())
    for (let count = 1; "count" in step && count < step.count && tries < triesMax; count += 1)
      if (await fails(best.story.steps.with(at, { ...step, count }))) break;
  return best;
}
