/**
 * Plants single faults in sources and tells which of them no test notices. Not in the gate, for it takes hours.
 *
 *   npm run mutate -- src/engine/limits                    # a folder, or a file; all that are named below without one
 *   npm run mutate -- src/engine/deliveries --sample 50    # fewer faults; --seed 7: others
 *   npm run mutate -- --record                             # ask anew which tests come by which faults
 *   npm run mutate -- src/store --among src/               # only tests whose names begin so
 *
 * A fault is noticed when a test fails that succeeds without it, or doesn't come to an end. All drawn faults stand in the sources behind
 * switches, so they are loaded once (`mutate/switches.ts`), and each is asked only of tests that come by it, the quickest first
 * (`mutate/judge.ts`). What is known is kept in `node_modules/.cache/mutate`: a second run asks of those that went unnoticed only tests that
 * are new or have changed, and of the others nothing as long as the test that noticed them stays as it is.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { postgresUrl } from "../test/postgres/server.ts";
import { explained } from "./mutate/explained.ts";
import { judge } from "./mutate/judge.ts";
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
  "src/engine/operations",
  "src/expressions",
  "src/store",
];

/** Tests that begin browsers, packages or whole machines, or judge other things than sources: too slow to be asked so often. */
const notAsked =
  /^test\/(browser|clients|console|consumers|docs-site|durability|histories|package|proxies|repository|simulation|twins)\//;

interface KeptVerdict {
  readonly by?: { readonly file: string; readonly words: string; readonly hash: string };
  /** Files that were asked, and what they were. */
  readonly asked: Readonly<Record<string, string>>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    record: { type: "boolean", default: false },
    among: { type: "string", default: "" },
  },
});
const root = resolve(import.meta.dirname, "..");
const cache = join(root, "node_modules", ".cache", "mutate");
const verdictsFile = join(cache, "verdicts.json");
const work = join(cache, `run-${process.pid}`);
const texts = new Map<string, string>();
const asked = positionals.map((place) => relative(root, resolve(place)));
const places = asked.length > 0 ? asked : named;
const drawn = new Map([...new Set([...named, ...places])].map((place) => [place, drawOf(place)]));
const numbered = new Map<string, Numbered>();
for (const { sample } of drawn.values())
  for (const mutant of sample)
    if (!numbered.has(mutant.key)) numbered.set(mutant.key, { ...mutant, number: numbered.size + 1 });
const tell = (line: string) => process.stdout.write(`${line}\n`);

mkdirSync(work, { recursive: true });
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
writeSources();
process.env["NINEFOLD_TEST_POSTGRES"] ??= await postgresUrl();
const runner = new Runner(root, work);
process.on("exit", () => void runner.end());

const tests = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { cwd: root })
  .filter((file) => file.startsWith(values.among) && !file.includes("node_modules") && !notAsked.test(file))
  .sort();
const reach = await readReach(root, tests, [...numbered.values()], runner, tell, values.record);
const hashes = new Map(tests.map((file) => [file, hashOf(readFileSync(join(root, file), "utf8"))]));
const rows: string[] = [];
for (const place of places) rows.push(await rowOf(place));
tell(
  `\n| folder | of | drawn | killed | explained | left | killed |\n|---|---|---|---|---|---|---|\n${rows.join("\n")}`,
);
process.exit(0);

/** Judges a place's sample. @returns its line of the table */
async function rowOf(place: string): Promise<string> {
  const { sample, of } = drawn.get(place) as ReturnType<typeof drawOf>;
  const kept = readVerdicts();
  const isStill = (key: string) => {
    const by = kept[key]?.by;
    return by !== undefined && hashes.get(by.file) === by.hash;
  };
  const open = sample.filter(
    ({ key, ...mutant }) => !isStill(key) && reasonOf({ key, ...mutant }) === undefined,
  );
  tell(`\n${place}: ${sample.length} of ${of}, ${open.length} to be asked of`);
  const begun = performance.now();
  const skips = (key: string, file: string) =>
    kept[key]?.asked[file] !== undefined && kept[key].asked[file] === hashes.get(file);
  const verdicts = await judge(
    open.map(({ key }) => numbered.get(key) as Numbered),
    reach,
    runner,
    place,
    skips,
    ({ mutant, by }) => {
      if (by) {
        kept[mutant.key] = { by: { ...by, hash: hashes.get(by.file) ?? "" }, asked: {} };
        writeFileSync(verdictsFile, JSON.stringify(kept));
      }
      tell(`${by ? "noticed " : "SURVIVED"} ${nameOf(mutant)}${by ? `  (${by.file}: ${by.words})` : ""}`);
    },
  );
  for (const [key, { by, asked: files }] of verdicts) {
    const now = Object.fromEntries(files.map((file) => [file, hashes.get(file) ?? ""]));
    kept[key] = {
      ...(by ? { by: { ...by, hash: hashes.get(by.file) ?? "" } } : {}),
      asked: { ...kept[key]?.asked, ...now },
    };
  }
  writeFileSync(verdictsFile, JSON.stringify(kept));
  const killed = sample.filter(({ key }) => isStill(key)).length;
  const left = sample.filter((mutant) => !isStill(mutant.key) && reasonOf(mutant) === undefined);
  const reasons = sample.length - killed - left.length;
  tell(`\n${place}: unnoticed after ${Math.round((performance.now() - begun) / 1000)} s`);
  for (const mutant of left) {
    const by = Object.keys(kept[mutant.key]?.asked ?? {});
    tell(`  ${nameOf(mutant)}  [${by.length} files: ${by.slice(0, 3).join(" ")}]`);
  }
  const percent = (some: number) => `${((100 * some) / Math.max(1, sample.length - reasons)).toFixed(1)} %`;
  return `| ${place} | ${of} | ${sample.length} | ${killed} | ${reasons} | ${left.length} | ${percent(killed)} |`;
}

function readVerdicts(): Record<string, KeptVerdict> {
  return existsSync(verdictsFile) ? JSON.parse(readFileSync(verdictsFile, "utf8")) : {};
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
