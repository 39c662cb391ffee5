/**
 * Asks tests whether they notice mutants: those that come by, the quickest first, file by file, in a process that has all mutants in it. What
 * is there from the beginning of a process, or in others that a test begins, is asked of processes of its own at the end.
 */
import type { Reach } from "./reach.ts";
import type { Answered } from "./run-tests.ts";
import type { Runner } from "./runner.ts";

import type { Numbered } from "./switches.ts";

/** How far a mutant has come. */
export interface Trial {
  readonly mutant: Numbered;
  /** Places of the tests that were asked, by file. */
  readonly asked: Map<string, Set<number>>;
  /** Files that were asked in a process of their own. */
  readonly alone: Set<string>;
  /** The file that noticed it, and what it said. */
  by?: { readonly file: string; readonly words: string };
}

export interface Wishes {
  /** The folder whose tests are asked first. */
  readonly nearest: string;
  /** What tests may take of the processor before they count as endless, beside ten times what they took without a mutant. */
  readonly msLeast?: number;
  /** To be asked before each question: whoever is over goes on another time. */
  readonly isOver?: () => boolean;
  readonly tell?: (trial: Trial) => void;
}

/** What one file may cost for one mutant, in the processor's milliseconds: the quick ones of all files first. */
const msOfRounds: readonly number[] = [200, 1500];
/** And all files together. */
const msOfMutant = 5000;
/** How many processes may begin for one mutant. */
const processesMax = 3;

/** Goes on with each trial until a test notices its mutant or all are asked that may be. */
export async function judge(
  trials: readonly Trial[],
  reach: Reach,
  runner: Runner,
  { nearest, msLeast = 5000, isOver = () => false, tell = () => {} }: Wishes,
): Promise<void> {
  const files = inOrder(reach, nearest);
  const notice = (trial: Trial, file: string, words: string) => {
    trial.by = { file, words };
    tell(trial);
  };
  for (const msMax of msOfRounds)
    for (const file of files)
      for (const trial of trials) {
        if (isOver()) return runner.end();
        if (trial.by || costOfAsked(trial) > msOfMutant) continue;
        const { chosen, ms } = chosenOf(file, trial, msMax);
        if (chosen.length === 0) continue;
        const words = await noticedBy(file, trial.mutant, chosen, ms);
        trial.asked.set(file, (trial.asked.get(file) ?? new Set()).union(new Set(chosen)));
        if (words !== undefined) notice(trial, file, words);
      }
  for (const trial of trials) {
    if (trial.by) continue;
    for (const file of ofWholeProcesses(trial.mutant)) {
      if (isOver()) return runner.end();
      if (trial.alone.has(file)) continue;
      const words = await noticedInProcess(file, trial.mutant);
      trial.alone.add(file);
      if (words === undefined) continue;
      notice(trial, file, words);
      break;
    }
    if (!trial.by) tell(trial);
  }
  await runner.end();

  function costOfAsked({ asked }: Trial): number {
    let ms = 0;
    for (const [file, places] of asked) for (const place of places) ms += reach[file]?.tests[place]?.ms ?? 0;
    return ms;
  }

  /** Tests that come by and weren't asked yet, the quickest first. */
  function chosenOf(file: string, { mutant, asked }: Trial, msMax: number): { chosen: number[]; ms: number } {
    const known = reach[file];
    const former = asked.get(file);
    const isEverywhere = known?.atLoading.includes(mutant.key) ?? false;
    const candidates = Object.entries(known?.tests ?? {})
      .filter(
        ([place, test]) => !former?.has(Number(place)) && (isEverywhere || test.reached.includes(mutant.key)),
      )
      .sort(([, a], [, b]) => a.ms - b.ms);
    const chosen: number[] = [];
    let ms = 0;
    for (const [place, test] of candidates) {
      if (chosen.length > 0 && ms + test.ms > msMax) break;
      if (test.ms > msMax && msMax !== msOfRounds.at(-1)) break;
      ms += test.ms;
      chosen.push(Number(place));
    }
    return { chosen, ms };
  }

  async function noticedBy(
    file: string,
    mutant: Numbered,
    chosen: readonly number[],
    ms: number,
  ): Promise<string | undefined> {
    const msMax = msLeast + 10 * ms;
    const isKept = !(reach[file]?.atLoading.includes(mutant.key) ?? false);
    const ask = (active: number, places: readonly number[]) =>
      runner.ask({ file, active, chosen: places, isKept, stopsAtFirst: true, msMax });
    /** What an earlier mutant left behind could be to blame, or the machine: without any mutant the same must succeed. */
    const succeedsWithout = async (answer: Answered | undefined) => {
      const ran = Object.keys(answer?.tests ?? {}).map(Number);
      const without = await ask(0, ran.length > 0 ? ran : chosen);
      return without?.failed.length === 0;
    };
    for (let time = 0; time < 2; time += 1) {
      const answer = await ask(mutant.number, chosen);
      if (answer?.failed.length === 0) return undefined;
      const isSound = await succeedsWithout(answer);
      if (isSound && answer) return answer.failed[0];
      // Who didn't come to an end is asked once more.
      if (isSound && time === 1) return "didn't come to an end";
      if (!isSound) await runner.end();
      if (time === 1)
        return (await succeedsWithout(answer)) ? (answer?.failed[0] ?? "didn't come to an end") : undefined;
    }
    return undefined;
  }

  /** Files that come by while they are loaded, or in other processes: the quickest. */
  function ofWholeProcesses({ key }: Numbered): readonly string[] {
    return files
      .filter((file) => reach[file]?.atLoading.includes(key) || reach[file]?.elsewhere.includes(key))
      .filter((file) => costOf(reach, file) < 20_000)
      .slice(0, processesMax);
  }

  async function noticedInProcess(file: string, mutant: Numbered): Promise<string | undefined> {
    const sound = Object.keys(reach[file]?.tests ?? {}).map(Number);
    const ask = (active: number) =>
      runner.ask({ file, active, chosen: sound, isKept: false, stopsAtFirst: true, msMax: 60_000 });
    await runner.beginWith(mutant.number);
    const answer = await ask(mutant.number);
    await runner.end();
    if (answer?.failed.length === 0) return undefined;
    const without = await ask(0);
    if (without?.failed.length !== 0) await runner.end();
    return without?.failed.length === 0 ? (answer?.failed[0] ?? "didn't come to an end") : undefined;
  }
}

function costOf(reach: Reach, file: string): number {
  return Object.values(reach[file]?.tests ?? {}).reduce((sum, { ms }) => sum + ms, 0);
}

/** Beside the sources first, then by what a test of it costs. */
function inOrder(reach: Reach, nearest: string): readonly string[] {
  const cost = (file: string) => {
    const tests = Object.values(reach[file]?.tests ?? {});
    const mean = costOf(reach, file) / Math.max(1, tests.length);
    return file.startsWith(nearest) ? mean / 1000 : mean;
  };
  return Object.keys(reach)
    .filter((file) => !reach[file]?.isTooSlow && costOf(reach, file) >= 0)
    .map((file) => ({ file, ms: cost(file) }))
    .sort((a, b) => a.ms - b.ms)
    .map(({ file }) => file);
}
