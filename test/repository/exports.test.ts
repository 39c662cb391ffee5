/** What a source gives to others is taken by one: an export that nobody imports is either private or dead. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { codeOf, filesUnder, textOf } from "./repository.ts";

const code = ["src", "console", "test", "scripts", "bench", "examples"].flatMap((folder) => [
  ...filesUnder(folder, ".ts"),
  ...filesUnder(folder, ".tsx"),
]);

/** What is given to those who use Ninefold and to `bin/`, and what is put beside the code that is made for them. */
const forOthers = /^src\/(index|kit\/index|cli\/main)\.ts$|^src\/outputs\/client\/assets\//;

const isTest = (path: string) => /^test\/|\.test\.tsx?$/.test(path);
/** What several tests of a room need stands beside it. */
const forTests = /^src\/(?:[\w-]+\/)*(?:testing\/|test-[\w-]+\.ts$)/;

/** `src/a.ts#name` of every name that a file imports by that name, and the files that are imported whole. */
function importedBy(files: readonly string[]): {
  readonly names: ReadonlySet<string>;
  readonly whole: ReadonlySet<string>;
} {
  const form =
    /\b(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|[\w*$][^"';{]*)\s*from\s*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/g;
  const names = new Set<string>();
  const whole = new Set<string>();
  for (const path of files) {
    for (const [, listed, from, asked] of textOf(path).matchAll(form)) {
      const target = join(dirname(path), from ?? asked ?? "").replaceAll("\\", "/");
      if (listed === undefined) whole.add(target);
      for (const one of listed?.split(",") ?? []) {
        const name = one
          .trim()
          .replace(/^type\s+/, "")
          .split(/\s+as\s+/)[0];
        if (name) names.add(`${target}#${name}`);
      }
    }
  }
  return { names, whole };
}

interface Export {
  readonly key: string;
  readonly isType: boolean;
  /** Its own file has a use for it, too. */
  readonly isUsedHere: boolean;
}

function exportsOf(path: string): readonly Export[] {
  const form = /^export (?:async )?(function\*?|const|let|class|interface|type) ([A-Za-z_$][\w$]*)/gm;
  const text = codeOf(path);
  return [...text.matchAll(form)].map(([, kind, name]) => ({
    key: `${path}#${name}`,
    isType: kind === "interface" || kind === "type",
    isUsedHere: text.split(new RegExp(`\\b${name?.replaceAll("$", "\\$")}\\b`)).length > 2,
  }));
}

const sources = code.filter((path) => /^src\/.*\.ts$/.test(path) && !isTest(path) && !forOthers.test(path));

test("what a source exports is imported by another file", () => {
  const { names, whole } = importedBy(code);
  const unused = sources
    .filter((path) => !whole.has(path))
    .flatMap(exportsOf)
    // A type that stands in what is exported beside it has a name for whoever wants to say it.
    .filter(({ key, isType, isUsedHere }) => !names.has(key) && !(isType && isUsedHere));
  assert.deepEqual(
    unused.map(({ key }) => key),
    [],
  );
});

test("nothing is there for tests alone, but for what says so", () => {
  const { names, whole } = importedBy(code.filter((path) => !isTest(path)));
  const unused = sources
    .filter((path) => !whole.has(path) && !forTests.test(path))
    .flatMap(exportsOf)
    .filter(({ key, isUsedHere }) => !names.has(key) && !isUsedHere);
  assert.deepEqual(
    unused.map(({ key }) => key),
    [],
  );
});
