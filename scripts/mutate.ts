/**
 * Plants single faults in sources, one after another, and tells which of them no test notices. Not in the gate, for it takes hours.
 *
 *   npm run mutate -- src/engine/limits                           # a folder, or a file
 *   npm run mutate -- src/engine/deliveries --sample 50 --seed 7  # other faults, and so many
 *
 * A fault is noticed when one of the tests fails that come by its line, or doesn't come to an end in --seconds (120): the quickest are
 * asked first, and no more than --tests (40). Which those are is recorded once, in about the time of all tests: `npm run mutate -- --record`.
 * The tree stays as it is: the fault is planted while node loads the file. What a test starts as a process of its own has it as well.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Mutant, mutantsOf, told } from "./mutate/mutants.ts";
import { readReach, recordReach } from "./mutate/reach.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    tests: { type: "string", default: "40" },
    record: { type: "boolean", default: false },
    seconds: { type: "string", default: "120" },
  },
});
const root = resolve(import.meta.dirname, "..");
if (values.record) {
  recordReach(root, (line) => process.stdout.write(`${line}\n`));
  process.exit(0);
}
const places = positionals.length > 0 ? positionals : ["src/engine/limits"];
const files = places.flatMap((place) => {
  const path = resolve(root, place);
  if (!statSync(path).isDirectory()) return [path];
  return globSync("**/*.ts", { cwd: path })
    .filter((name) => !/\.(test|bench|types)\.ts$/.test(name))
    .map((name) => join(path, name));
});
const texts = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));
const all = [...texts].flatMap(([file, text]) => mutantsOf(file, text));
const sample = inDrawnOrder(all).slice(0, Number(values.sample));
const reach = readReach(root);
/** How tests do without a fault: those that fail then say nothing of one. */
const fails = new Map<string, boolean>();

let noticed = 0;
const survivors: string[] = [];
for (const mutant of sample) {
  const text = texts.get(mutant.file) as string;
  const name = `${relative(root, mutant.file)}:${told(mutant, text)}`;
  const tests = reach.testsOf(mutant.file, mutant.start).slice(0, Number(values.tests));
  // Some at a time: most faults are noticed by the first.
  const isNoticed = [tests.slice(0, 3), tests.slice(3, 12), tests.slice(12)].some((some) => {
    const sound = some.filter((test) => !failsWithout(test));
    return sound.length > 0 && isRed(sound, mutant);
  });
  if (isNoticed) noticed += 1;
  else survivors.push(name);
  process.stdout.write(
    `${isNoticed ? "noticed " : "SURVIVED"} ${name}${tests.length === 0 ? " (no test comes by)" : ""}\n`,
  );
}
const percent = ((100 * noticed) / Math.max(1, sample.length)).toFixed(0);
process.stdout.write(`\n${noticed} of ${sample.length} noticed (${percent} %), drawn of ${all.length}.\n`);
for (const survivor of survivors) process.stdout.write(`  ${survivor}\n`);

/** The same for the same seed, wherever the sources come from. */
function inDrawnOrder(mutants: readonly Mutant[]): readonly Mutant[] {
  const draw = ({ file, start, end, replacement }: Mutant) =>
    createHash("sha256")
      .update(JSON.stringify([values.seed, relative(root, file), start, end, replacement]))
      .digest("hex");
  return mutants
    .map((mutant) => ({ mutant, drawn: draw(mutant) }))
    .sort((a, b) => (a.drawn < b.drawn ? -1 : 1))
    .map(({ mutant }) => mutant);
}

function failsWithout(test: string): boolean {
  const known = fails.get(test);
  if (known !== undefined) return known;
  const isFailing = isRed([test]);
  if (isFailing) process.stdout.write(`left out: ${relative(root, test)} fails without any fault\n`);
  fails.set(test, isFailing);
  return isFailing;
}

function isRed(tests: readonly string[], mutant?: Mutant): boolean {
  const plant = join(import.meta.dirname, "mutate", "plant.ts");
  const { status } = spawnSync(process.execPath, ["--test", "--test-concurrency=2", ...tests], {
    cwd: root,
    stdio: "ignore",
    timeout: Number(values.seconds) * 1000,
    env: {
      ...process.env,
      ...(mutant ? { NINEFOLD_MUTANT: JSON.stringify(mutant), NODE_OPTIONS: `--import "${plant}"` } : {}),
    },
  });
  return status !== 0;
}
