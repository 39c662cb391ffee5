/**
 * The process in which tests run against mutants: sources are loaded once, with all mutants in
 * them, and a test file is run again for each of them. The parent process (`judge.ts`) sends
 * messages with what to run, and starts another process when this one hangs, crashes or uses too
 * much memory.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { flushCompileCache, registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { type Collected, collect, runCollected } from "./node-test-replacement.ts";
import { planted } from "./plant.ts";
import { usedMs } from "./processor-time.ts";
import type { Watched } from "./watch.ts";

export interface RunOrder {
  /** Relative to the repository. */
  readonly file: string;
  /** The number of the active mutant. */
  readonly active: number;
  /** Tests by their indexes when they were recorded, with their titles; all if absent. */
  readonly chosen?: readonly ChosenTest[];
  /**
   * Whether the declarations of the last load may be used, because loading doesn't reach the
   * mutant.
   */
  readonly isKept: boolean;
  readonly stopsAtFirst: boolean;
  /** The limit of processor time, in milliseconds. */
  readonly msMax: number;
}

export interface ChosenTest {
  readonly place: number;
  readonly title: string;
}

export interface RanTest {
  readonly title: string;
  readonly ms: number;
  readonly reached: readonly number[];
}

export interface RunResult {
  readonly failed: readonly string[];
  /**
   * The tests that ran, by index, each with the mutants reached in processes and threads that it
   * started.
   */
  readonly tests: Readonly<Record<number, RanTest>>;
  /** The mutants reached while the file was loaded. */
  readonly atLoading: readonly number[];
  /** The mutants reached in hooks, or in processes and threads that the file started. */
  readonly elsewhere: readonly number[];
  readonly bytes: number;
}

const instead = new URL("./node-test-replacement.ts", import.meta.url).href;
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier !== "node:test" || context.parentURL === instead) return nextResolve(specifier, context);
    return { url: instead, shortCircuit: true };
  },
});

const reachedFile = join(process.env["NINEFOLD_MUTANTS"] ?? "", `reached-${process.pid}`);
process.env["NINEFOLD_MUTANT_REACHED"] = reachedFile;
process.on("exit", () => rmSync(reachedFile, { force: true }));

if (existsSync(join(process.env["NINEFOLD_MUTANTS"] ?? "", "console"))) {
  (await import("./browsers.ts")).switchBrowsers();
  // Loaded outside of any test file: its browser and services stay open for all of them.
  await import("../../test/console/open-console.ts");
}

const kept = new Map<string, Collected>();
let loads = 0;
/** Uncaught errors during a test. */
let uncaught: unknown[] = [];
process.on("uncaughtException", (error) => uncaught.push(error));
process.on("unhandledRejection", (error) => uncaught.push(error));

async function answered(order: RunOrder): Promise<RunResult> {
  uncaught = [];
  planted.active = order.active;
  process.env["NINEFOLD_MUTANT"] = String(order.active);
  planted.reached.clear();
  const tests: Record<number, RanTest> = {};
  const between = new Set<number>();
  const failed: string[] = [];
  let atLoading: readonly number[] | undefined;
  try {
    const collected = await loaded(order);
    atLoading = [...planted.reached];
    planted.reached.clear();
    const recorded = order.chosen && placesNow(collected, order.chosen);
    const ran = await runCollected(
      collected,
      recorded && [...recorded.keys()],
      async (now, run) => {
        const place = recorded?.get(now) ?? now;
        for (const number of planted.reached) between.add(number);
        planted.reached.clear();
        const startedMs = usedMs();
        try {
          await run();
        } finally {
          const title = collected.tests[now]?.title ?? "";
          const reachedByOthers = byOthers();
          for (const number of reachedByOthers) between.add(number);
          tests[place] = {
            title,
            ms: usedMs() - startedMs,
            reached: [...planted.reached, ...reachedByOthers],
          };
          planted.reached.clear();
        }
      },
      order.stopsAtFirst,
    );
    failed.push(...ran.map(({ title, error }) => `${title}: ${wordsOf(error)}`));
    if (uncaught.length > 0) failed.push(`uncaught: ${wordsOf(uncaught[0])}`);
  } catch (error) {
    failed.push(`loading: ${wordsOf(error)}`);
  }
  const elsewhere = [...between, ...planted.reached, ...byOthers()];
  const bytes = process.memoryUsage().rss;
  return { failed, tests, atLoading: atLoading ?? elsewhere, elsewhere, bytes };
}

/**
 * The current indexes of tests, by their recorded indexes: a file that declares a test for each
 * file of a folder gets further tests when the folder does.
 */
function placesNow({ tests }: Collected, chosen: readonly ChosenTest[]): ReadonlyMap<number, number> {
  return new Map(
    chosen.flatMap(({ place, title }) => {
      const now = tests[place]?.title === title ? place : tests.findIndex((test) => test.title === title);
      return now < 0 ? [] : [[now, place] as const];
    }),
  );
}

async function loaded({ file, isKept }: RunOrder): Promise<Collected> {
  const known = kept.get(file);
  if (isKept && known) return known;
  loads += 1;
  const collected = await collect(() => import(`${pathToFileURL(file).href}?time=${loads}`));
  kept.set(file, collected);
  return collected;
}

function byOthers(): number[] {
  if (!existsSync(reachedFile)) return [];
  const numbers = readFileSync(reachedFile, "utf8").trim().split("\n").map(Number);
  rmSync(reachedFile);
  return numbers;
}

function wordsOf(error: unknown): string {
  return String(error instanceof Error ? error.message : error)
    .split("\n")
    .slice(0, 3)
    .join(" ")
    .slice(0, 300);
}

const watch = new Worker(new URL("./watch.ts", import.meta.url));

process.on("message", async (order: RunOrder) => {
  watch.postMessage(order.msMax satisfies Watched);
  const answer = await answered(order);
  watch.postMessage(undefined satisfies Watched);
  process.send?.(answer);
  // The process is killed in the end, which would lose its compile cache.
  if (loads === 1) flushCompileCache();
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
