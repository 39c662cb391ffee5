/**
 * Tries mutants against tests: first the tests that reach them, the nearest and quickest first, in
 * a process that has all mutants in it. Mutants that take effect when a process loads, or in other
 * processes that a test starts, are tried in processes of their own at the end.
 */
import { basename, dirname } from "node:path";
import { memoize } from "../../src/support/memoize.ts";
import type { Reach } from "./reach.ts";
import type { RunResult, ChosenTest } from "./run-tests.ts";
import type { Runner } from "./runner.ts";
import type { NumberedMutant } from "./switches.ts";

/** The progress of a mutant. */
export interface MutantProgress {
  readonly mutant: NumberedMutant;
  /** Indexes of the tests that were tried, by file. */
  readonly ran: Map<string, Set<number>>;
  /** Files that were tried in a process of their own. */
  readonly alone: Set<string>;
  /** The file that detected it, and its message. */
  by?: { readonly file: string; readonly words: string };
}

export interface JudgeOptions {
  /** Folders whose tests are tried first. */
  readonly nearest: readonly string[];
  /**
   * Processor time after which tests count as endless, in addition to five times what they took
   * without a mutant.
   */
  readonly msLeast?: number;
  /**
   * What all tests together may take for one mutant. A file is tried in a process of its own if it
   * takes at most twice as long.
   */
  readonly msEach?: number;
  /** Checked before each attempt: an interrupted trial continues in the next run. */
  readonly isOver?: () => boolean;
  readonly onJudged?: (trial: MutantProgress) => void;
}

/**
 * Processor time that one file may use for one mutant, in milliseconds: the quick tests of all
 * files run first.
 */
const msQuick = 200;
const msOfRounds: readonly number[] = [msQuick, 2000, 20_000];
/** Maximum number of processes for one mutant. */
const processesMax = 2;

/** Continues each trial until a test detects its mutant or all permitted tests have been tried. */
export async function judge(
  trials: readonly MutantProgress[],
  reach: Reach,
  runner: Runner,
  { nearest, msLeast = 1000, msEach = 3000, isOver = () => false, onJudged = () => {} }: JudgeOptions,
): Promise<void> {
  const sources = Map.groupBy(trials, ({ mutant }) => mutant.file);
  const filesOf = memoize((source: string) => {
    const keys = (sources.get(source) ?? []).map(({ mutant }) => mutant.key);
    return inOrder(reach, nearest, keys);
  }, sources.size);
  for (const trial of trials) {
    if (!(await isThrough(trial, filesOf(trial.mutant.file)))) break;
    onJudged(trial);
  }
  await runner.end();

  /** @returns false if the time ends before */
  async function isThrough(trial: MutantProgress, files: readonly string[]): Promise<boolean> {
    /**
     * Files whose tests reached the mutant when they were recorded, but not in a process where
     * everything is loaded and memoized.
     */
    const cold = new Set<string>();
    let left = msEach;
    for (const msMax of msOfRounds)
      for (const file of files) {
        if (isOver()) return false;
        const { chosen, ms } =
          left > 0 ? chosenOf(file, trial, Math.min(msMax, left)) : { chosen: [], ms: 0 };
        if (chosen.length === 0 || cold.has(file)) continue;
        const answer = await runOf(file, trial.mutant, chosen, ms);
        if (answer === "not come by") cold.add(file);
        else {
          trial.ran.set(file, (trial.ran.get(file) ?? new Set()).union(new Set(chosen)));
          left -= ms;
          if (answer === "unnoticed") continue;
          trial.by = { file, words: answer.words };
          return true;
        }
      }
    for (const file of ofWholeProcesses(trial, files, cold)) {
      if (isOver()) return false;
      const words = await noticedInProcess(file, trial.mutant);
      trial.alone.add(file);
      if (words === undefined) continue;
      trial.by = { file, words };
      return true;
    }
    return true;
  }

  /**
   * Tests that reach the mutant and weren't tried yet: those about its source first, then the
   * quickest.
   */
  function chosenOf(
    file: string,
    { mutant, ran }: MutantProgress,
    msMax: number,
  ): { chosen: number[]; ms: number } {
    const known = reach[file];
    const former = ran.get(file);
    /**
     * A test is about a source if its title has the source's name, as in "resources/too-many-fields
     * is reported".
     */
    const subject = basename(mutant.file).replace(/\.tsx?$/, "");
    const isAbout = (title: string) => title.includes(subject);
    const isEverywhere = known?.atLoading.includes(mutant.key) ?? false;
    const candidates = Object.entries(known?.tests ?? {})
      .filter(
        ([place, test]) => !former?.has(Number(place)) && (isEverywhere || test.reached.includes(mutant.key)),
      )
      .sort(([, a], [, b]) => Number(isAbout(b.title)) - Number(isAbout(a.title)) || a.ms - b.ms);
    const chosen: number[] = [];
    let ms = 0;
    for (const [place, test] of candidates) {
      if (chosen.length > 0 && ms + test.ms > msMax) break;
      if (test.ms > msMax && msMax <= msQuick) break;
      ms += test.ms;
      chosen.push(Number(place));
    }
    return { chosen, ms };
  }

  async function runOf(
    file: string,
    mutant: NumberedMutant,
    chosen: readonly number[],
    ms: number,
  ): Promise<"not come by" | "unnoticed" | { readonly words: string }> {
    const isKept = !(reach[file]?.atLoading.includes(mutant.key) ?? false);
    const run = (active: number, places: readonly number[]) => {
      const tests = withTitles(file, places);
      return runner.run({ file, active, chosen: tests, isKept, stopsAtFirst: true, msMax: msLeast + 5 * ms });
    };
    /**
     * An earlier mutant's remains or the machine could be the cause: without any mutant the same
     * tests must succeed.
     */
    const succeedsWithout = async (answer: RunResult | undefined) => {
      const ran = Object.keys(answer?.tests ?? {}).map(Number);
      const without = await run(0, ran.length > 0 ? ran : chosen);
      return without?.failed.length === 0;
    };
    let isSound = false;
    for (let time = 0; time < 2; time += 1) {
      const answer = await run(mutant.number, chosen);
      if (answer?.failed.length === 0) return isCome(mutant, answer) ? "unnoticed" : "not come by";
      const noticed = { words: answer?.failed[0] ?? "didn't come to an end" };
      // Tests that didn't finish are tried once more, with a run without a mutant in between.
      if (isSound && !answer) return noticed;
      isSound = await succeedsWithout(answer);
      if (isSound && answer) return noticed;
      if (isSound) continue;
      await runner.end();
      isSound = time === 1 && (await succeedsWithout(answer));
      if (isSound) return noticed;
    }
    return "unnoticed";
  }

  /**
   * Files that reach the mutant while they are loaded, in other processes, or only before anything
   * is memoized. Reaches at load time were recorded for the first file that loaded the source, but
   * affect each file that uses it. Files in the folder of the source are tried first.
   */
  function ofWholeProcesses(
    { mutant: { key, file: source }, alone }: MutantProgress,
    files: readonly string[],
    cold: ReadonlySet<string>,
  ): readonly string[] {
    const isAtLoading = Object.values(reach).some(({ atLoading }) => atLoading.includes(key));
    const isElsewhere = (file: string) => reach[file]?.elsewhere.includes(key) ?? false;
    const isInSameFolder = (file: string) => Number(dirname(file) === dirname(source));
    return files
      .toSorted((a, b) => isInSameFolder(b) - isInSameFolder(a))
      .filter((file) => isAtLoading || cold.has(file) || isElsewhere(file))
      .filter((file) => costOf(reach, file) < 2 * msEach)
      .slice(0, processesMax)
      .filter((file) => !alone.has(file));
  }

  function withTitles(file: string, places: readonly number[]): readonly ChosenTest[] {
    return places.map((place) => ({ place, title: reach[file]?.tests[place]?.title ?? "" }));
  }

  /**
   * Tests that succeed without a mutant: those that reached it, if that is known for single tests.
   */
  function soundOf(file: string, { key }: NumberedMutant): readonly number[] {
    const known = reach[file];
    const all = Object.entries(known?.tests ?? {});
    const isOfAll = known?.atLoading.includes(key) || known?.elsewhere.includes(key);
    const some = isOfAll ? [] : all.filter(([, { reached }]) => reached.includes(key));
    return (some.length > 0 ? some : all).map(([place]) => Number(place));
  }

  async function noticedInProcess(file: string, mutant: NumberedMutant): Promise<string | undefined> {
    const chosen = withTitles(file, soundOf(file, mutant));
    const run = (active: number) =>
      runner.run({ file, active, chosen, isKept: false, stopsAtFirst: true, msMax: 60_000 });
    await runner.beginWith(mutant.number);
    const answer = await run(mutant.number);
    await runner.end();
    if (answer?.failed.length === 0) return undefined;
    const without = await run(0);
    if (without?.failed.length !== 0) await runner.end();
    return without?.failed.length === 0 ? (answer?.failed[0] ?? "didn't come to an end") : undefined;
  }
}

function isCome({ number }: NumberedMutant, { tests, atLoading, elsewhere }: RunResult): boolean {
  return [atLoading, elsewhere, ...Object.values(tests).map(({ reached }) => reached)].some((some) =>
    some.includes(number),
  );
}

function costOf(reach: Reach, file: string): number {
  return Object.values(reach[file]?.tests ?? {}).reduce((sum, { ms }) => sum + ms, 0);
}

/**
 * First the files near the sources, then by the cost of a test, and by how many of these mutants it
 * reaches.
 */
function inOrder(reach: Reach, nearest: readonly string[], keys: readonly string[]): readonly string[] {
  const cost = (file: string, come: number) => {
    const tests = Object.values(reach[file]?.tests ?? {});
    const mean = costOf(reach, file) / Math.max(1, tests.length);
    const isNear = nearest.some((place) => file.startsWith(place));
    return ((isNear ? mean / 1000 : mean) * keys.length) / come;
  };
  return Object.entries(reach)
    .map(([file, { tests, atLoading, elsewhere }]) => {
      const reached = new Set(
        [atLoading, elsewhere, ...Object.values(tests).map((reach) => reach.reached)].flat(),
      );
      return { file, come: keys.filter((key) => reached.has(key)).length };
    })
    .filter(({ file, come }) => come > 0 && !reach[file]?.isTooSlow)
    .map(({ file, come }) => ({ file, ms: cost(file, come) }))
    .sort((a, b) => a.ms - b.ms)
    .map(({ file }) => file);
}
