/**
 * Mutation testing: plants single faults in sources and reports which of them no test notices. Not
 * part of the gate, because it takes hours.
 *
 *   npm run mutate -- src/engine/limits                    # a folder, or a file; without one, all that are named below
 *   npm run mutate -- src/engine/deliveries --sample 50    # fewer faults; --seed 7: others
 *   npm run mutate -- --record                             # record anew which tests reach which faults
 *   npm run mutate -- src/store --among src/,test/store    # only tests whose names start with these
 *   npm run mutate -- src/store --each 15                  # processor seconds for each fault (default 3)
 *   npm run mutate -- src/store --seconds 600              # no longer; the next run continues from there
 *
 * A fault is noticed when a test fails that succeeds without it, or doesn't come to an end. All
 * drawn faults are in the sources behind switches, so the sources are loaded once
 * (`mutate/switches.ts`), and each fault is tried only with tests that reach it, the quickest first
 * (`mutate/judge.ts`). Results are kept in `node_modules/.cache/mutate`: a second run tries
 * unnoticed faults only with tests that are new or have changed, and skips the others as long as
 * the test that noticed them stays as it is.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { postgresUrl } from "../test/postgres/server.ts";
import { explained } from "./mutate/explained.ts";
import { judge, type Trial } from "./mutate/judge.ts";
import { faultOf, hashOf, lineOf, type Mutant, mutantsOf } from "./mutate/mutants.ts";
import { readReach } from "./mutate/reach.ts";
import { Runner } from "./mutate/runner.ts";
import { type Numbered, withSwitches } from "./mutate/switches.ts";

/** What is held to a part of faults that are noticed. */
const named = [
  "src/engine/limits",
  "src/engine/versions",
  "src/engine/streams",
  "src/engine/background",
  "src/engine/deliveries",
  "src/engine/records",
  "src/engine/actions",
  "src/expressions",
  "src/store",
];

/** Tests that begin commands, browsers, packages or whole machines, that judge other things than sources, or that are others put together. */
const excluded =
  /^(src\/cli\/|test\/coverage\/mutants|test\/(browser|clients?|console|consumers|diagrams|docs-site|durability(?!\/due)|exports|histories|kit|newcomers|outputs|package|proxies|repository|simulation|together|twins)\/)/;

/** A trial of another time, as long as the test files are what they were. */
interface KeptTrial {
  readonly by?: { readonly file: string; readonly words: string };
  readonly ran: Readonly<Record<string, readonly number[]>>;
  readonly alone: readonly string[];
  /** Of all files that are named. */
  readonly hashes: Readonly<Record<string, string>>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    record: { type: "boolean", default: false },
    among: { type: "string", default: "" },
    seconds: { type: "string", default: "Infinity" },
    each: { type: "string", default: "3" },
  },
});
const root = resolve(import.meta.dirname, "..");
const cache = join(root, "node_modules", ".cache", "mutate");
const work = join(cache, `run-${process.pid}`);
const texts = new Map<string, string>();
const requested = positionals.map((place) => relative(root, resolve(place)));
const places = requested.length > 0 ? requested : named;
const drawn = new Map([...new Set([...named, ...places])].map((place) => [place, drawOf(place)]));
const numbered = new Map<string, Numbered>();
for (const { sample } of drawn.values())
  for (const mutant of sample)
    if (!numbered.has(mutant.key)) numbered.set(mutant.key, { ...mutant, number: numbered.size + 1 });
const print = (line: string) => process.stdout.write(`${line}\n`);

mkdirSync(work, { recursive: true });
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
writeSources();
process.env["NINEFOLD_TEST_POSTGRES"] ??= await postgresUrl();
const runner = new Runner(root, work);
process.on("exit", () => void runner.end());

const startedAt = performance.now();
const isOver = () => performance.now() - startedAt > Number(values.seconds) * 1000;
const tests = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { cwd: root })
  .filter((file) => !file.includes("node_modules") && !excluded.test(file))
  // The nearest first.
  .toSorted((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
const hashes = new Map(tests.map((file) => [file, hashOf(readFileSync(join(root, file), "utf8"))]));
const among = tests.filter((file) => values.among.split(",").some((start) => file.startsWith(start)));
const known = await readReach(root, among, [...numbered.values()], runner, print, {
  isAnew: values.record,
  isOver,
});
const reach = Object.fromEntries(
  Object.entries(known).filter(([file, { hash }]) => among.includes(file) && hashes.get(file) === hash),
);
print(`${Object.keys(reach).length} of ${tests.length} test files are tried`);
const rows: string[] = [];
for (const [at, place] of places.entries()) {
  // What time is left is for all of them.
  const left = Number(values.seconds) * 1000 - (performance.now() - startedAt);
  const until = performance.now() + left / (places.length - at);
  rows.push(await rowOf(place, () => performance.now() > until));
}
print(
  `\n| folder | of | drawn | killed | explained | left | killed |\n|---|---|---|---|---|---|---|\n${rows.join("\n")}`,
);
process.exit(0);

/**
 * First tests in the named folders, then those of other sources, then the end-to-end tests, and the
 * longest last.
 */
function placeOf(test: string): number {
  if (named.some((place) => test.startsWith(`${place}/`))) return 0;
  return test.startsWith("src/") ? 1 : test.startsWith("test/agreement/") ? 3 : 2;
}

/** Judges a place's sample. @returns its line of the table */
async function rowOf(place: string, isOver: () => boolean): Promise<string> {
  const { sample, of } = drawn.get(place) as ReturnType<typeof drawOf>;
  const trialsFile = join(cache, `trials-${place.replaceAll("/", "-")}.json`);
  const kept = readTrials(trialsFile);
  const trials = sample.map(({ key }) => trialOf(numbered.get(key) as Numbered, kept[key]));
  const open = trials.filter(({ mutant, by }) => !by && reasonOf(mutant) === undefined);
  print(`\n${place}: ${sample.length} of ${of}, ${open.length} to be tried with`);
  const keep = () => {
    for (const trial of open) kept[trial.mutant.key] = keptOf(trial);
    writeFileSync(trialsFile, JSON.stringify(kept));
  };
  await judge(open, reach, runner, {
    nearest: place,
    msEach: Number(values.each) * 1000,
    isOver,
    onJudged: (trial) => {
      const { mutant, by } = trial;
      if (by) keep();
      print(`${by ? "noticed " : "SURVIVED"} ${nameOf(mutant)}${by ? `  (${by.file}: ${by.words})` : ""}`);
    },
  });
  keep();
  const killed = trials.filter(({ by }) => by).length;
  const left = open.filter(({ by }) => !by);
  print(`\n${place}: unnoticed${isOver() ? " as yet" : ""}`);
  for (const { mutant, ran, alone } of left) {
    const files = [...ran.keys(), ...alone];
    print(`  ${nameOf(mutant)}  [${files.length} files: ${files.slice(0, 3).join(" ")}]`);
  }
  const reasons = sample.length - killed - left.length;
  const percent = ((100 * killed) / Math.max(1, sample.length - reasons)).toFixed(1);
  return `| ${place} | ${of} | ${sample.length} | ${killed} | ${reasons} | ${left.length} | ${percent} % |`;
}

function readTrials(file: string): Record<string, KeptTrial> {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

function trialOf(mutant: Numbered, kept: KeptTrial | undefined): Trial {
  const isStill = (file: string) => kept?.hashes[file] === hashes.get(file);
  const ran = Object.entries(kept?.ran ?? {}).filter(([file]) => isStill(file));
  return {
    mutant,
    ran: new Map(ran.map(([file, places]) => [file, new Set(places)])),
    alone: new Set(kept?.alone.filter(isStill)),
    ...(kept?.by && isStill(kept.by.file) ? { by: kept.by } : {}),
  };
}

function keptOf({ ran, alone, by }: Trial): KeptTrial {
  const files = [...ran.keys(), ...alone, ...(by ? [by.file] : [])];
  return {
    ran: Object.fromEntries([...ran].map(([file, places]) => [file, [...places]])),
    alone: [...alone],
    hashes: Object.fromEntries(files.map((file) => [file, hashes.get(file) ?? ""])),
    ...(by ? { by } : {}),
  };
}

/** The same for the same seed, whatever else is in the sources. */
function drawOf(place: string): { sample: readonly Mutant[]; of: number } {
  const path = resolve(root, place);
  const files = statSync(path).isDirectory()
    ? globSync("**/*.ts", { cwd: path })
        // What only tests load is no part of it.
        .filter(
          (name) => !/\.(test|bench|types)\.ts$/.test(name) && !/(^|\/)(test-[^/]+|testing\/.*)$/.test(name),
        )
        .map((name) => join(place, name))
    : [place];
  const all = files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    texts.set(file, text);
    return mutantsOf(file, text);
  });
  const sample = all
    .map((mutant) => ({ mutant, drawn: hashOf(`${values.seed} ${mutant.key}`) }))
    .sort((a, b) => (a.drawn < b.drawn ? -1 : 1))
    .slice(0, Number(values.sample))
    .map(({ mutant }) => mutant);
  return { sample, of: all.length };
}

function writeSources(): void {
  const sources: Record<string, string> = {};
  const byFile = Map.groupBy(numbered.values(), ({ file }) => file);
  for (const [file, mutants] of byFile) {
    const name = `${file.replaceAll("/", "-")}.js`;
    writeFileSync(join(work, name), stripTypeScriptTypes(withSwitches(texts.get(file) as string, mutants)));
    sources[pathToFileURL(join(root, file)).href] = name;
  }
  writeFileSync(join(work, "sources.json"), JSON.stringify(sources));
}

function nameOf(mutant: Mutant): string {
  const text = texts.get(mutant.file) as string;
  return `${mutant.file}:${lineOf(mutant, text)}: ${faultOf(mutant, text)}`;
}

function reasonOf(mutant: Mutant): string | undefined {
  const text = texts.get(mutant.file) as string;
  const line = text.split("\n")[lineOf(mutant, text) - 1]?.trim();
  return explained.find(
    (one) => one.file === mutant.file && one.line === line && one.fault === faultOf(mutant, text),
  )?.reason;
}
