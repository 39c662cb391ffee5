/**
 * Mutation testing: plants single faults in sources and reports which of them no test notices. Not
 * part of the gate, because it takes hours.
 *
 *   npm run mutate -- outputs backups                      # rooms (`mutate/rooms.ts`); without one, all
 *   npm run mutate -- src/engine/limits                    # a folder, or a file
 *   npm run mutate -- src/engine/deliveries --sample 50    # fewer faults; --seed 7: others
 *   npm run mutate -- outputs --record                     # record anew which tests reach which faults
 *   npm run mutate -- src/store --among src/,test/store    # only tests whose names start with these
 *   npm run mutate -- src/store --each 15                  # processor seconds for each fault (default 3)
 *   npm run mutate -- outputs --quick                      # only tests that start no processes
 *   npm run mutate -- src/store --seconds 600              # no longer; the next run continues from there
 *
 * A fault is noticed when a test fails that succeeds without it, or doesn't come to an end. All
 * drawn faults are in the sources behind switches, so the sources are loaded once
 * (`mutate/switches.ts`), and each fault is tried only with tests that reach it, the quickest first
 * (`mutate/judge.ts`). Faults are tried in the order in which they were drawn, so those that a run
 * has come to are a sample as well. Results are kept in `node_modules/.cache/mutate`: a second run
 * tries unnoticed faults only with tests that are new or have changed, and skips the others as long
 * as the test that noticed them stays as it is.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { postgresUrl } from "../test/postgres/server.ts";
import { buildConsole, servingFrom } from "./mutate/console.ts";
import { explainedFaults } from "./mutate/explained-faults.ts";
import { judge, type MutantProgress } from "./mutate/judge.ts";
import { faultOf, hashOf, lineOf, type Mutant, mutantsOf } from "./mutate/mutants.ts";
import { usedMs } from "./mutate/processor-time.ts";
import { type Reach, readReach } from "./mutate/reach.ts";
import { isAmong, type Room, roomOf, rooms } from "./mutate/rooms.ts";
import { Runner } from "./mutate/runner.ts";
import { type NumberedMutant, withSwitches } from "./mutate/switches.ts";

/** A trial of an earlier run, valid as long as the test files are unchanged. */
interface KeptTrial {
  readonly by?: { readonly file: string; readonly words: string };
  readonly ran: Readonly<Record<string, readonly number[]>>;
  readonly alone: readonly string[];
  /** The hashes of all named files. */
  readonly hashes: Readonly<Record<string, string>>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    record: { type: "boolean", default: false },
    among: { type: "string" },
    seconds: { type: "string", default: "Infinity" },
    each: { type: "string", default: "3" },
    quick: { type: "boolean", default: false },
  },
});
/** Starts processes or browsers, which costs seconds for each test. */
const isSlow =
  /\b(spawn|spawnSync|execFile|execFileSync|fork|chromium)\(|\/(open-console|served-command)\.ts"/;
const root = resolve(import.meta.dirname, "..");
const cache = join(root, "node_modules", ".cache", "mutate");
const texts = new Map<string, string>();
const startedAt = performance.now();
const msMax = Number(values.seconds) * 1000;
const print = (line: string) => process.stdout.write(`${line}\n`);
let runner: Runner | undefined;
let work = "";
process.on("exit", () => {
  void runner?.end();
  rmSync(work, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const hashes = new Map<string, string>();
const requested = positionals.length > 0 ? positionals : Object.keys(rooms);
const rows: string[] = [];
for (const [at, name] of requested.entries()) {
  // The remaining time is for all of them.
  const now = performance.now();
  const until = now + (msMax - (now - startedAt)) / (requested.length - at);
  rows.push(await rowOf(name, () => performance.now() > until));
}
print(
  `\n| room | of | drawn | tried | killed | explained | left | killed |\n|---|---|---|---|---|---|---|---|\n${rows.join("\n")}`,
);
process.exit(0);

/** Tries a room's sample. @returns its line of the table */
async function rowOf(name: string, isOver: () => boolean): Promise<string> {
  const room = rooms[name] ?? roomOf(relative(root, resolve(name)));
  const { sample, of } = drawOf(room);
  const numbered = sample.map((mutant, place): NumberedMutant => ({ ...mutant, number: place + 1 }));
  const fileName = name.replaceAll("/", "-");
  work = join(cache, `run-${process.pid}-${fileName}`);
  await writeSources(numbered);
  const faults = new Runner(root, work);
  runner = faults;
  const stages = await stagesOf(room);
  const trialsFile = join(cache, `trials-${fileName}.json`);
  const kept = readTrials(trialsFile);
  const trials = numbered.map((mutant) => trialOf(mutant, kept[mutant.key]));
  const isKnown = ({ mutant, by }: MutantProgress) => by !== undefined || reasonOf(mutant) !== undefined;
  const tried = new Set(trials.filter(isKnown));
  const open = trials.filter((trial) => !tried.has(trial));
  print(`\n${name}: ${sample.length} of ${of}, ${open.length} to be tried with`);
  const keep = () => {
    for (const trial of open) kept[trial.mutant.key] = keptOf(trial);
    writeFileSync(trialsFile, JSON.stringify(kept));
  };
  let usedByJudging = 0;
  let judged = 0;
  for (const [at, tests] of stages.entries()) {
    const isLast = at === stages.length - 1;
    const still = open.filter((trial) => !isKnown(trial));
    if (still.length === 0 || isOver()) break;
    const reach = await reachOf(tests, fileName, numbered, faults, isOver);
    const startedMs = usedMs();
    let usedThen = startedMs;
    await judge(still, reach, faults, {
      nearest: room.sources,
      msEach: Number(values.each) * 1000,
      isOver,
      onJudged: (trial) => {
        const { mutant, by } = trial;
        tried.add(trial);
        if (by) keep();
        const seconds = ((usedMs() - usedThen) / 1000).toFixed(1);
        usedThen = usedMs();
        const verdict = by ? "noticed " : isLast ? "SURVIVED" : "not yet ";
        print(`${verdict} ${seconds} s ${nameOf(mutant)}${by ? `  (${by.file}: ${by.words})` : ""}`);
      },
    });
    keep();
    usedByJudging += usedThen - startedMs;
    judged = Math.max(judged, still.filter((trial) => tried.has(trial)).length);
  }
  print(`${(usedByJudging / 1000 / Math.max(1, judged)).toFixed(1)} s of processor time for each fault`);
  keep();
  rmSync(work, { recursive: true, force: true });
  const killed = trials.filter(({ by }) => by).length;
  const left = [...tried].filter((trial) => !isKnown(trial));
  print(`\n${name}: unnoticed${isOver() ? " as yet" : ""}`);
  for (const { mutant, ran, alone } of left) {
    const files = [...ran.keys(), ...alone];
    print(`  ${nameOf(mutant)}  [${files.length} files: ${files.slice(0, 3).join(" ")}]`);
  }
  const reasons = tried.size - killed - left.length;
  const percent = ((100 * killed) / Math.max(1, tried.size - reasons)).toFixed(1);
  return `| ${name} | ${of} | ${sample.length} | ${tried.size} | ${killed} | ${reasons} | ${left.length} | ${percent} % |`;
}

/**
 * A room's tests in the order of their cost: first those that run in one process. The others are
 * only recorded, and tried, for the faults that are still unnoticed then.
 */
async function stagesOf(room: Room): Promise<readonly (readonly string[])[]> {
  const starts = values.among === undefined ? room.tests : values.among.split(",");
  const tests = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { cwd: root })
    .filter((file) => !file.includes("node_modules") && isAmong(file, starts))
    // The nearest test files first.
    .toSorted((a, b) => placeOf(a, room) - placeOf(b, room) || (a < b ? -1 : 1));
  const testTexts = tests.map((file) => readFileSync(join(root, file), "utf8"));
  for (const [at, file] of tests.entries()) hashes.set(file, hashOf(testTexts[at] as string));
  // One server for all processes, if a test may need it.
  const needsServer = /postgresUrl|(from|import\() ?"[^"]*\bpostgres\//;
  if (
    tests.some((file, at) => file.startsWith("test/postgres/") || needsServer.test(testTexts[at] as string))
  )
    process.env["NINEFOLD_TEST_POSTGRES"] ??= await postgresUrl();
  const stages = Map.groupBy(tests, (_, at) => isSlow.test(testTexts[at] as string));
  return [stages.get(false) ?? [], ...(values.quick ? [] : [stages.get(true) ?? []])].filter(
    ({ length }) => length > 0,
  );
}

/** Determines which tests reach which of a room's mutants. */
async function reachOf(
  tests: readonly string[],
  fileName: string,
  numbered: readonly NumberedMutant[],
  runner: Runner,
  isOver: () => boolean,
): Promise<Reach> {
  const known = await readReach(root, tests, numbered, runner, print, {
    record: join(cache, `reach-${fileName}.json`),
    isAnew: values.record,
    isOver,
  });
  const reach = Object.entries(known).filter(
    ([file, { hash }]) => tests.includes(file) && hashes.get(file) === hash,
  );
  print(`${reach.length} of ${tests.length} test files are tried`);
  return Object.fromEntries(reach);
}

/**
 * First tests in the room's folders, then those of other sources, then the end-to-end tests, and
 * the slowest last.
 */
function placeOf(test: string, { sources }: Room): number {
  if (sources.some((place) => test.startsWith(`${place}/`))) return 0;
  return test.startsWith("src/") ? 1 : test.startsWith("test/agreement/") ? 3 : 2;
}

function readTrials(file: string): Record<string, KeptTrial> {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

function trialOf(mutant: NumberedMutant, kept: KeptTrial | undefined): MutantProgress {
  const isStill = (file: string) => kept?.hashes[file] === hashes.get(file);
  const ran = Object.entries(kept?.ran ?? {}).filter(([file]) => isStill(file));
  return {
    mutant,
    ran: new Map(ran.map(([file, places]) => [file, new Set(places)])),
    alone: new Set(kept?.alone.filter(isStill)),
    ...(kept?.by && isStill(kept.by.file) ? { by: kept.by } : {}),
  };
}

function keptOf({ ran, alone, by }: MutantProgress): KeptTrial {
  const files = [...ran.keys(), ...alone, ...(by ? [by.file] : [])];
  return {
    ran: Object.fromEntries([...ran].map(([file, places]) => [file, [...places]])),
    alone: [...alone],
    hashes: Object.fromEntries(files.map((file) => [file, hashes.get(file) ?? ""])),
    ...(by ? { by } : {}),
  };
}

/** The same draw for the same seed, whatever else is in the sources. */
function drawOf({ sources }: Room): { sample: readonly Mutant[]; of: number } {
  const files = globSync(
    sources.flatMap((place) => (/\.tsx?$/.test(place) ? [place] : [`${place}/**/*.ts`, `${place}/**/*.tsx`])),
    { cwd: root },
  )
    // Files that only tests load are not a part of the sample.
    .filter(
      (name) => !/\.(test|bench|types)\.tsx?$/.test(name) && !/(^|\/)(test-[^/]+|testing\/.*)$/.test(name),
    );
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

async function writeSources(numbered: readonly NumberedMutant[]): Promise<void> {
  mkdirSync(work, { recursive: true });
  const sources: Record<string, string> = {};
  const write = (file: string, text: string) => {
    const name = `${file.replaceAll("/", "-")}.js`;
    writeFileSync(join(work, name), stripTypeScriptTypes(text));
    sources[pathToFileURL(join(root, file)).href] = name;
  };
  const switched = new Map(
    [...Map.groupBy(numbered, ({ file }) => file)].map(([file, mutants]) => [
      file,
      withSwitches(texts.get(file) as string, mutants),
    ]),
  );
  const ofConsole = [...switched].filter(([file]) => file.startsWith("console/"));
  for (const [file, text] of switched) if (!file.startsWith("console/")) write(file, text);
  if (ofConsole.length > 0) {
    const built = join(work, "console");
    await buildConsole(root, built, new Map(ofConsole));
    const serving = "src/admin/console-files.ts";
    write(serving, servingFrom(switched.get(serving) ?? readFileSync(join(root, serving), "utf8"), built));
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
  return explainedFaults.find(
    (fault) => fault.file === mutant.file && fault.line === line && fault.fault === faultOf(mutant, text),
  )?.reason;
}
