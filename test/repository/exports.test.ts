/**
 * Exports of sources are imported by a file that is no test. Whether they are imported at all is
 * reported by `npm run unused` (`knip.config.ts`).
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { codeOf, filesUnder, textOf } from "./repository.ts";

const isTest = (path: string) => path.endsWith(".test.ts");
/**
 * Unused exports: every export has another user; this pattern matches test helpers that several
 * tests of a room share.
 */
const forTests = /^src\/(?:[\w-]+\/)*(?:testing\/|test-[\w-]+\.ts$)/;
/** The public API, what `bin/` imports, and what generated code imports. */
const forOthers = /^src\/(index|kit\/index|cli\/main)\.ts$|^src\/outputs\/client\/assets\//;

/** `src/a.ts#name` for every name that a file imports, and `src/a.ts` for a whole module. */
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

/** The names of exports that their own file doesn't use. */
function onlyExported(path: string): readonly string[] {
  const form = /^export (?:async )?(?:function\*?|const|let|class|interface|type) ([A-Za-z_$][\w$]*)/gm;
  const text = codeOf(path);
  return [...text.matchAll(form)]
    .map(([, name = ""]) => name)
    .filter((name) => text.split(new RegExp(`\\b${name.replaceAll("$", "\\$")}\\b`)).length === 2);
}

test("nothing is there for tests alone, but for what says so", () => {
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
