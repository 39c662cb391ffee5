/**
 * Records which tests reach which mutants, and what each test costs: every test file runs once
 * against sources with all mutants in them and none active. The record is kept in
 * `node_modules/.cache`, by room and file, and repeated only for changed files or other mutants.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashOf } from "./mutants.ts";
import type { Runner } from "./runner.ts";
import type { NumberedMutant } from "./switches.ts";

export interface TestReach {
  readonly title: string;
  /** In milliseconds of processor time. */
  readonly ms: number;
  /** Keys of the reached mutants. */
  readonly reached: readonly string[];
}

export interface FileReach {
  readonly hash: string;
  /** By index; tests that fail without any mutant are left out, because they show nothing. */
  readonly tests: Readonly<Record<number, TestReach>>;
  readonly atLoading: readonly string[];
  readonly elsewhere: readonly string[];
  /** Whether the file took too long here, so that it is not tried. */
  readonly isTooSlow: boolean;
}

export type Reach = Record<string, FileReach>;

interface Kept {
  /** Keys of the mutants that were in the sources. */
  readonly keys: readonly string[];
  readonly files: Reach;
}

/** A file that takes more processor time is left out, in milliseconds. */
const msMax = 30_000;

/**
 * @param record the file of the record; @param isAnew whether known files are recorded again;
 * @param isOver leaves the rest to another run
 */
export async function readReach(
  root: string,
  files: readonly string[],
  mutants: readonly NumberedMutant[],
  runner: Runner,
  print: (line: string) => void,
  { record, isAnew = false, isOver }: { record: string; isAnew?: boolean; isOver?: () => boolean },
): Promise<Reach> {
  const former =
    isAnew || !existsSync(record) ? undefined : (JSON.parse(readFileSync(record, "utf8")) as Kept);
  const recorded = new Set(former?.keys);
  const unknown = mutants.filter(({ key }) => !recorded.has(key));
  // If few mutants are new because sources have changed, their tests are not known; if many are,
  // they are recorded.
  const isOutdated = unknown.length > mutants.length / 20;
  if (unknown.length > 0 && !isOutdated) print(`${unknown.length} mutants are new since the last --record`);
  const known: Reach = isOutdated ? {} : { ...former?.files };
  const keys = isOutdated ? mutants.map(({ key }) => key) : (former?.keys ?? []);
  const keyOf = new Map(mutants.map(({ number, key }) => [number, key]));
  const reachedKeys = (numbers: readonly number[]) => [
    ...new Set(numbers.flatMap((number) => keyOf.get(number) ?? [])),
  ];
  let runs = 0;
  for (const [place, file] of files.entries()) {
    const hash = hashOf(readFileSync(join(root, file), "utf8"));
    if (known[file]?.hash === hash) continue;
    if (isOver?.()) break;
    const startedAt = performance.now();
    // Threads and memoized values stay in a process: after some files another one starts.
    if (runs++ % 15 === 0) await runner.end();
    const answer = await runner.run({ file, active: 0, isKept: false, stopsAtFirst: false, msMax });
    const tests: Record<number, TestReach> = {};
    for (const [at, { title, ms, reached }] of Object.entries(answer?.tests ?? {})) {
      if (answer?.failed.some((failure) => failure.startsWith(`${title}: `))) continue;
      tests[Number(at)] = { title, ms, reached: reachedKeys(reached) };
    }
    known[file] = {
      hash,
      tests,
      atLoading: reachedKeys(answer?.atLoading ?? []),
      elsewhere: reachedKeys(answer?.elsewhere ?? []),
      isTooSlow: !answer,
    };
    const failed = answer ? `, ${answer.failed.length} failed ${answer.failed[0] ?? ""}` : ", too slow";
    const ms = Math.round(performance.now() - startedAt);
    print(`${place + 1} of ${files.length}: ${file}, ${Object.keys(tests).length} tests, ${ms} ms${failed}`);
    keep(record, { keys, files: known });
  }
  await runner.end();
  keep(record, { keys, files: known });
  return isOutdated ? known : withUnknown(known, mutants, recorded);
}

/** A test that reaches any mutant of a source may reach each mutant of it that was not recorded. */
function withUnknown(known: Reach, mutants: readonly NumberedMutant[], recorded: ReadonlySet<string>): Reach {
  const sources = new Map(mutants.map(({ key, file }) => [key, file]));
  const unknown = Map.groupBy(
    mutants.filter(({ key }) => !recorded.has(key)),
    ({ file }) => file,
  );
  const andUnknown = (keys: readonly string[]) => {
    const touched = new Set(keys.flatMap((key) => sources.get(key) ?? []));
    return [...keys, ...[...touched].flatMap((file) => (unknown.get(file) ?? []).map(({ key }) => key))];
  };
  const reach: Reach = {};
  for (const [file, entry] of Object.entries(known)) {
    const tests = Object.entries(entry.tests).map(([at, test]) => [
      at,
      { ...test, reached: andUnknown(test.reached) },
    ]);
    reach[file] = { ...entry, tests: Object.fromEntries(tests) };
  }
  return reach;
}

function keep(record: string, known: Kept): void {
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, JSON.stringify(known));
}
