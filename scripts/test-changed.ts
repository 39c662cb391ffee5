/**
 * Tests of changed files: runs the tests that the changed files reach, the nearest first, for about
 * a minute.
 *
 *   npm run test:changed                    # changes since the last commit, with new files
 *   npm run test:changed -- --base main     # changes since another commit
 *   npm run test:changed -- --seconds 20    # starts no further file after 20 s; 0: no limit
 *
 * A test file is reached when it imports a changed file, directly or indirectly, or names a changed
 * document, template or other file that isn't imported. Its distance is the number of imports in
 * between. Tests that don't run in time are counted; `npm test` runs all.
 */
import { execFileSync, spawn } from "node:child_process";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { filesUnder, importsOf, pathOf, textOf } from "../test/repository/repository.ts";

const { values } = parseArgs({
  options: {
    base: { type: "string", default: "HEAD" },
    seconds: { type: "string", default: "60" },
  },
});
const seconds = Number(values.seconds);
if (!(seconds >= 0)) throw new Error("--seconds takes a number: 0 runs all test files that are reached");

const git = (...args: readonly string[]) =>
  execFileSync("git", args, { cwd: pathOf("."), encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
const changed = new Set([
  ...git("diff", "--name-only", values.base),
  ...git("ls-files", "--others", "--exclude-standard"),
]);

const sources = ["src", "test", "scripts", "console/src", "examples", "bench"]
  .flatMap((folder) => filesUnder(folder))
  .filter((path) => /\.tsx?$/.test(path));
const importers = new Map<string, string[]>();
for (const path of sources)
  for (const imported of importsOf(path).filter((target) => target.startsWith("."))) {
    const target = join(dirname(path), imported);
    importers.set(target, [...(importers.get(target) ?? []), path]);
  }

/** Sources that refer to a file which nothing imports, by its name. */
function naming(path: string): readonly string[] {
  const name = basename(path, ".md");
  return name.length < 4 ? [] : sources.filter((source) => textOf(source).includes(name));
}

/** Distance of each source that a changed file reaches, in imports. */
function distances(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  let reached = [...changed].flatMap((path) => (sources.includes(path) ? [path] : naming(path)));
  for (let distance = 0; reached.length > 0; distance += 1) {
    const fresh = [...new Set(reached)].filter((path) => !found.has(path));
    for (const path of fresh) found.set(path, distance);
    reached = fresh.flatMap((path) => importers.get(path) ?? []);
  }
  return found;
}

const reached = [...distances()]
  .filter(([path]) => path.endsWith(".test.ts") && !path.startsWith("test/together/"))
  .sort(([file, near], [otherFile, far]) => near - far || file.localeCompare(otherFile))
  .map(([path]) => path);

interface Run {
  readonly path: string;
  readonly passed: boolean;
  readonly output: string;
}

function runFile(path: string): Promise<Run> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--import", "./test/file-time-limit.ts", "--test", path], {
      cwd: pathOf("."),
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    child.on("close", (code) => resolve({ path, passed: code === 0, output }));
  });
}

const untilMs = seconds === 0 ? Infinity : performance.now() + seconds * 1000;
const waiting = [...reached];
const runs: Run[] = [];
async function runInTurn(): Promise<void> {
  while (performance.now() < untilMs) {
    const path = waiting.shift();
    if (path === undefined) return;
    const run = await runFile(path);
    runs.push(run);
    console.log(`${run.passed ? "✔" : "✖"} ${path}`);
    if (!run.passed) console.log(run.output);
  }
}
await Promise.all([runInTurn(), runInTurn()]);

const failed = runs.filter(({ passed }) => !passed);
console.log(`${changed.size} files changed, ${reached.length} test files reached, ${runs.length} run.`);
if (waiting.length > 0) console.log(`${waiting.length} were not run within ${seconds} s: npm test runs all.`);
for (const { path } of failed) console.log(`Failed: ${path}`);
process.exitCode = failed.length > 0 ? 1 : 0;
