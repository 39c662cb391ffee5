/**
 * Story shortening: finds the shortest part of a story that still shows a finding, by replaying
 * parts of it.
 */
import type { Difference } from "../comparison/compare-responses.ts";
import type { Lockstep } from "./lockstep.ts";
import type { PlayedStep } from "../stories/played-step.ts";
import { MissingValue, type Step, stepsRead, type StoryRun } from "../stories/story.ts";

export interface Shortened {
  /** The steps, of which the last one shows the finding. */
  readonly steps: readonly PlayedStep[];
  /** Whether another run showed it again. */
  readonly isRepeatable: boolean;
}

/** Replays a part of a story. Undefined if its last step doesn't show the finding. */
export type Replay = (part: readonly Step[]) => Promise<readonly PlayedStep[] | undefined>;

const usualTries = 40;

/** @param triesMax the maximum number of replays */
export async function shortenStory(
  steps: readonly PlayedStep[],
  replay: Replay,
  triesMax: number = usualTries,
): Promise<Shortened> {
  let tries = 0;
  const tryAgain: Replay = (part) => {
    tries += 1;
    return replay(part);
  };
  const all = steps.map(({ step }) => step);
  const needed = readBy(all);
  let best = (await tryAgain(needed)) ?? (tries < triesMax ? await tryAgain(all) : undefined);
  if (!best) return { steps: steps.filter(({ step }) => needed.includes(step)), isRepeatable: false };
  for (let size = Math.ceil(best.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < best.length - 1 && tries < triesMax; ) {
      const kept: readonly PlayedStep[] = best;
      const part = kept.filter((_, at) => at < from || at >= from + size || at === kept.length - 1);
      const shorter = part.length < kept.length ? await tryAgain(part.map(({ step }) => step)) : undefined;
      if (shorter) best = shorter;
      else from += size;
    }
  return { steps: best, isRepeatable: true };
}

/**
 * The shortest beginning of a story that shows a finding, if each longer one shows it, too.
 * @param isShown whether a beginning shows it, in another run
 */
export async function shortestPrefix<T>(
  steps: readonly T[],
  isShown: (prefix: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let [missing, shown] = [0, steps.length];
  while (shown - missing > 1) {
    const middle = Math.floor((missing + shown) / 2);
    if (await isShown(steps.slice(0, middle))) shown = middle;
    else missing = middle;
  }
  return steps.slice(0, shown);
}

/** The last step, and all steps whose responses it reads. */
function readBy(steps: readonly Step[]): readonly Step[] {
  const wanted = new Set<number>();
  return steps
    .toReversed()
    .filter((step, at) => {
      if (at > 0 && !wanted.has(step.id)) return false;
      for (const id of stepsRead(step)) wanted.add(id);
      return true;
    })
    .toReversed();
}

/** Plays steps in lockstep. Undefined if one needs a response that the part doesn't have. */
export async function playSteps(
  lockstep: Lockstep,
  steps: readonly Step[],
  run: StoryRun,
): Promise<readonly PlayedStep[] | undefined> {
  const played: PlayedStep[] = [];
  try {
    for (const group of groupsOf(steps)) played.push(...(await lockstep.playTogether(group, run)));
  } catch (error) {
    if (error instanceof MissingValue) return undefined;
    throw error;
  }
  return played;
}

/** Groups the steps that are sent concurrently; every other step is a group of its own. */
function groupsOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last && step.concurrentGroup !== undefined && last[0]?.concurrentGroup === step.concurrentGroup)
      last.push(step);
    else groups.push([step]);
  }
  return groups;
}

/**
 * Replays parts of a story whose last step showed these differences.
 * @param onPlayed receives each replay that was played to its end
 */
export function replayOf(
  lockstep: Lockstep,
  differences: readonly Difference[],
  newRun: () => StoryRun,
  onPlayed: (steps: readonly PlayedStep[], run: StoryRun) => void,
): Replay {
  return async (part) => {
    const run = newRun();
    const played = await playSteps(lockstep, part, run);
    if (played) onPlayed(played, run);
    const found = played?.at(-1)?.differences ?? [];
    return found.some((again) => differences.some((difference) => isSame(again, difference)))
      ? played
      : undefined;
  };
}

function isSame(left: Difference, right: Difference): boolean {
  if (left.what !== right.what) return false;
  return left.what !== "status" || left.expected === right.expected;
}
