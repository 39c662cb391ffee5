/**
 * Which tests come by a line of the sources. Each test file is run once with V8's coverage, which all processes write that it starts
 * (those that are killed don't), and what they have in common is kept beside the installed packages: `npm run mutate -- --record`.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Lines that were come by, a bit for each; base64. */
type LineBits = string;

interface Recorded {
  /** Test files with the milliseconds that they took. */
  readonly tests: readonly { readonly test: string; readonly ms: number }[];
  /** By source: what it was, and who came by which of its lines (places in `tests`). */
  readonly sources: Readonly<Record<string, { hash: string; lines: Record<string, LineBits> }>>;
}

/** A script as V8 tells of it: functions, and within each the ranges that were run otherwise than what is around them. */
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
  }[];
}

export interface Reach {
  /** Test files that come by the character at `start`, the quickest first; by the file at all where it has changed since. */
  testsOf(file: string, start: number): readonly string[];
}

const kept = (root: string) => join(root, "node_modules", ".cache", "reach.json");

/** @param root the repository's folder @throws where nothing was recorded yet */
export function readReach(root: string): Reach {
  const { tests, sources } = JSON.parse(readFileSync(kept(root), "utf8")) as Recorded;
  return {
    testsOf(file, start) {
      const source = sources[relative(root, file)];
      if (!source) return [];
      const text = readFileSync(file, "utf8");
      const line = text.slice(0, start).split("\n").length - 1;
      const isAsRecorded = hashOf(text) === source.hash;
      return Object.entries(source.lines)
        .filter(([, bits]) => !isAsRecorded || hasBit(bits, line))
        .map(([place]) => tests[Number(place)] as Recorded["tests"][number])
        .sort((a, b) => a.ms - b.ms)
        .map(({ test }) => resolve(root, test));
    },
  };
}

/** Runs every test file once, one after another. @param tell called with each when it is over */
export function recordReach(root: string, tell: (line: string) => void): void {
  const files = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { cwd: root })
    .filter((test) => !test.includes("node_modules"))
    .sort();
  const texts = new Map<string, string>();
  const tests: { test: string; ms: number }[] = [];
  const sources: Record<string, { hash: string; lines: Record<string, LineBits> }> = {};
  for (const [place, test] of files.entries()) {
    const begun = performance.now();
    const reached = linesReached(root, test, texts);
    tests.push({ test, ms: Math.round(performance.now() - begun) });
    for (const [source, lines] of reached) {
      sources[source] ??= { hash: hashOf(texts.get(source) as string), lines: {} };
      sources[source].lines[place] = bitsOf(lines);
    }
    tell(`${place + 1} of ${files.length}: ${test}, ${reached.size} sources, ${tests.at(-1)?.ms} ms`);
  }
  mkdirSync(dirname(kept(root)), { recursive: true });
  writeFileSync(kept(root), JSON.stringify({ tests, sources } satisfies Recorded));
}

function linesReached(root: string, test: string, texts: Map<string, string>): Map<string, boolean[]> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-reach-"));
  try {
    spawnSync(process.execPath, ["--test", "--test-concurrency=2", test], {
      cwd: root,
      stdio: "ignore",
      timeout: 300_000,
      // A runner within a test of another runner would run nothing.
      env: { ...process.env, NODE_V8_COVERAGE: folder, NODE_TEST_CONTEXT: undefined },
    });
    const reached = new Map<string, boolean[]>();
    for (const name of readdirSync(folder)) addLines(root, join(folder, name), texts, reached);
    return reached;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function addLines(
  root: string,
  path: string,
  texts: Map<string, string>,
  reached: Map<string, boolean[]>,
): void {
  const prefix = `${pathToFileURL(join(root, "src")).href}/`;
  const { result } = JSON.parse(readFileSync(path, "utf8")) as { readonly result: readonly ScriptCoverage[] };
  for (const script of result) {
    if (!script.url.startsWith(prefix) || script.url.includes(".test.")) continue;
    const source = join("src", script.url.slice(prefix.length).split("?")[0] as string);
    const text = texts.get(source) ?? readFileSync(join(root, source), "utf8");
    texts.set(source, text);
    const lines = reached.get(source) ?? [];
    reached.set(source, lines);
    orLines(lines, text, script);
  }
}

/** Types are taken out of a source by blanks, so places in what was run are places in the text. */
function orLines(lines: boolean[], text: string, { functions }: ScriptCoverage): void {
  const isRun = new Uint8Array(text.length);
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges)
      isRun.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  let line = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 10) line += 1;
    else if (character !== 32 && isRun[at] === 1) lines[line] = true;
  }
}

function bitsOf(lines: readonly boolean[]): LineBits {
  const bytes = Buffer.alloc(Math.ceil(lines.length / 8));
  for (const [line, isReached] of lines.entries())
    if (isReached) bytes[line >> 3] = (bytes[line >> 3] as number) | (1 << (line & 7));
  return bytes.toString("base64");
}

function hasBit(bits: LineBits, line: number): boolean {
  const byte = Buffer.from(bits, "base64")[line >> 3] ?? 0;
  return (byte & (1 << (line & 7))) !== 0;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64").slice(0, 16);
}
