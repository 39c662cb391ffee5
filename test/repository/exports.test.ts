/**
 * Exports of sources: each is imported by a file that is not a test. `npm run unused` reports
 * exports that no file imports (`knip.config.ts`).
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { codeOf, filesUnder, textOf } from "./repository.ts";

const isTest = (path: string) => path.endsWith(".test.ts");
/**
 * Matches test helpers that several tests of a room share. Every other export must have another
 * user.
 */
const forTests = /^src\/(?:[\w-]+\/)*(?:testing\/|test-[\w-]+\.ts$)/;
/** The public API, what `bin/` imports, and what generated code imports. */
const forOthers = /^src\/(index|kit\/index|cli\/main)\.ts$|^src\/outputs\/client\/assets\//;

/**
 * Returns `src/a.ts#name` for every name that a file imports, and `src/a.ts` for a whole module.
 */
function importedBy(files: readonly string[]): ReadonlySet<string> {
  const form =
    /\b(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|[\w*$][^"';{]*)\s*from\s*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/g;
  const imported = files.flatMap((path) =>
    [...textOf(path).matchAll(form)].flatMap(([, listed, from, requested]) => {
      const target = join(dirname(path), from ?? requested ?? "").replaceAll("\\", "/");
      if (listed === undefined) return [target];
      return [...listed.matchAll(/(?:^|,)\s*(?:type\s+)?([\w$]+)/g)].map(([, name]) => `${target}#${name}`);
    }),
  );
  return new Set(imported);
}

/** Returns the names of exports that their own file does not use. */
function onlyExported(path: string): readonly string[] {
  const form = /^export (?:async )?(?:function\*?|const|let|class|interface|type) ([A-Za-z_$][\w$]*)/gm;
  const text = codeOf(path);
  return [...text.matchAll(form)]
    .map(([, name = ""]) => name)
    .filter((name) => text.split(new RegExp(`\\b${name.replaceAll("$", "\\$")}\\b`)).length === 2);
}

test("no export is for tests alone, except marked test helpers", () => {
  const code = [
    ...filesUnder("src", ".ts"),
    ...filesUnder("console", ".ts"),
    ...filesUnder("console", ".tsx"),
  ];
  const programs = ["scripts", "bench", "examples"].flatMap((folder) => filesUnder(folder, ".ts"));
  const imported = importedBy([...code, ...programs].filter((path) => !isTest(path)));
  const unused = filesUnder("src", ".ts")
    .filter((path) => !isTest(path) && !forTests.test(path) && !forOthers.test(path) && !imported.has(path))
    .flatMap((path) => onlyExported(path).map((name) => `${path}#${name}`))
    .filter((key) => !imported.has(key));
  assert.deepEqual(unused, []);
});
