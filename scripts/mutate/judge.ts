/**
 * Asks tests whether they notice mutants: those that come by, the quickest first, file by file, in a process that has all mutants in it. What
 * is there from the beginning of a process, or in others that a test begins, is asked of processes of its own at the end.
 */
import type { Reach } from "./reach.ts";
import type { Runner } from "./runner.ts";
import type { Numbered } from "./switches.ts";

export interface Verdict {
  /** The file that noticed it, and what it said. */
  readonly by?: { readonly file: string; readonly words: string };
  /** Files that were asked. */
  readonly asked: readonly string[];
}

/** What one file may cost for one mutant, in the processor's milliseconds: the quick ones of all files first. */
const msOfRounds: readonly number[] = [300, 3000];
/** And all files together. */
const msOfMutant = 12_000;
/** How many processes may begin for one mutant. */
const processesMax = 5;

interface State {
  readonly mutant: Numbered;
  readonly asked: Map<string, Set<number>>;
  ms: number;
  by?: { readonly file: string; readonly words: string };
}

/**
 * @param nearest the folder whose tests are asked first
 * @param msLeast what tests may take by the clock on the wall before they count as endless, beside twenty times what they took
 * @param skips files that have been asked before, as they are now, by the mutant's key
 */
export async function judge(
  mutants: readonly Numbered[],
  reach: Reach,
  runner: Runner,
  nearest: string,
  skips: (key: string, file: string) => boolean,
  tell: (state: State) => void,
  msLeast = 20_000,
): Promise<ReadonlyMap<string, Verdict>> {
  const states = mutants.map((mutant): State => ({ mutant, asked: new Map(), ms: 0 }));
  const files = inOrder(reach, nearest);
  const notice = (state: State, file: string, words: string) => {
    state.by = { file, words };
    tell(state);
  };
  for (const msMax of msOfRounds)
    for (const file of files)
      for (const state of states) {
        if (state.by || state.ms > msOfMutant || skips(state.mutant.key, file)) continue;
        const { chosen, ms } = chosenOf(file, state, msMax);
        if (chosen.length === 0) continue;
        state.ms += ms;
        const words = await noticedBy(file, state.mutant, chosen, ms);
        if (words !== undefined) notice(state, file, words);
      }
  for (const state of states) {
    if (state.by) continue;
    for (const file of ofWholeProcesses(state.mutant)) {
      if (skips(state.mutant.key, file)) continue;
      state.asked.set(file, new Set());
      const words = await noticedInProcess(file, state.mutant);
      if (words === undefined) continue;
      notice(state, file, words);
      break;
    }
    if (!state.by) tell(state);
  }
  await runner.end();
  return new Map(
    states.map(({ mutant, by, asked }) => [mutant.key, { ...(by ? { by } : {}), asked: [...asked.keys()] }]),
  );

  /** Tests that come by and weren't asked yet, the quickest first. */
  function chosenOf(file: string, { mutant, asked }: State, msMax: number): { chosen: number[]; ms: number } {
    const known = reach[file];
    const former = asked.get(file) ?? new Set();
    asked.set(file, former);
    const isEverywhere = known?.atLoading.includes(mutant.key) ?? false;
    const candidates = Object.entries(known?.tests ?? {})
      .filter(
        ([place, test]) => !former.has(Number(place)) && (isEverywhere || test.reached.includes(mutant.key)),
      )
      .sort(([, a], [, b]) => a.ms - b.ms);
    const chosen: number[] = [];
    let ms = 0;
    for (const [place, test] of candidates) {
      if (chosen.length > 0 && ms + test.ms > msMax) break;
      if (test.ms > msMax && msMax !== msOfRounds.at(-1)) break;
      ms += test.ms;
      chosen.push(Number(place));
      former.add(Number(place));
    }
    if (former.size === 0) asked.delete(file);
    return { chosen, ms };
  }

  async function noticedBy(
    file: string,
    mutant: Numbered,
    chosen: readonly number[],
    ms: number,
  ): Promise<string | undefined> {
    const msMax = msLeast + 20 * ms;
    const isKept = !(reach[file]?.atLoading.includes(mutant.key) ?? false);
    const ask = (active: number, places: readonly number[]) =>
      runner.ask({ file, active, chosen: places, isKept, stopsAtFirst: true }, msMax);
    for (let time = 0; ; time += 1) {
      const answer = await ask(mutant.number, chosen);
      if (!answer) return "didn't come to an end";
      if (answer.failed.length === 0) return undefined;
      // What an earlier mutant left behind could be to blame: without any mutant the same must succeed.
      const ran = Object.keys(answer.tests).map(Number);
      const without = await ask(0, ran.length > 0 ? ran : chosen);
      if (without?.failed.length === 0) return answer.failed[0];
      await runner.end();
      if (time === 1) {
        const alone = await ask(0, chosen);
        if (alone?.failed.length === 0) return answer.failed[0];
        await runner.end();
        return undefined;
      }
    }
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
      runner.ask({ file, active, chosen: sound, isKept: false, stopsAtFirst: true }, 90_000);
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
