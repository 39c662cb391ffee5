/**
 * Rule of ARCHITECTURE.md: the parser reports mistakes that need the text; checks of the finished
 * model are in `checks/`, one per file.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codes } from "../../src/diagnostics/codes/index.ts";
import { filesUnder, textOf } from "./repository.ts";

const lists = ["src/checks/standard-checks.ts", "src/checks/valid-model-checks.ts"];
const sources = (folder: string) => filesUnder(folder, ".ts").filter((path) => !path.endsWith(".test.ts"));

/** The files of checks, in the folders of the parts. */
const checks = sources("src/checks").filter((path) => /^src\/checks\/[\w-]+\//.test(path));

/** Returns the codes in a source. */
function codesIn(path: string): readonly string[] {
  return [...textOf(path).matchAll(/"([a-z]+\/[a-z-]+)"/g)].flatMap(([, code]) =>
    code !== undefined && code in codes ? [code] : [],
  );
}

/**
 * Codes that both report. The parser breaks circles that fields name directly, because all later
 * steps would loop; checks find circles through shapes.
 */
const ofBoth = new Set(["resources/fill-circle"]);

test("no code is reported by both the parser and a check", () => {
  const read = new Set(sources("src/model/reading").flatMap(codesIn));
  const both = checks.flatMap(codesIn).filter((code) => read.has(code) && !ofBoth.has(code));
  assert.deepEqual(both, []);
});

test("a check is in the folder of the part whose codes it reports", () => {
  const strays = checks.flatMap((path) => {
    const part = path.split("/")[2];
    return codesIn(path)
      .filter((code) => code.split("/")[0] !== part && !ofBoth.has(code))
      .map((code) => `${path} reports ${code}`);
  });
  assert.deepEqual(strays, []);
});

test("every check runs: it is in one of the two lists", () => {
  const listed = lists.flatMap((path) =>
    [...textOf(path).matchAll(/from "\.\/([^"]+)"/g)].map(([, file]) => `src/checks/${file}`),
  );
  assert.deepEqual(listed.toSorted(), checks.toSorted());
});
