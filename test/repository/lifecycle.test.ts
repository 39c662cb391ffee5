/**
 * `docs/lifecycle.md` compared with the engine in both directions: every file that rejects requests
 * is listed with its conditions.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { conditions } from "../../src/model/errors/conditions.ts";
import { rowsUnder } from "./pages.ts";
import { filesUnder, pathOf, textOf } from "./repository.ts";

const page = "docs/lifecycle.md";
const rows = rowsUnder(page, "| Step | File | Problems |").map(([, file, problems]) => ({
  file: (file as string).replaceAll("`", ""),
  problems: problems === "" ? [] : (problems as string).split(", "),
}));

/** Returns the conditions with which a source of the engine rejects requests. */
function refusesWith(path: string): readonly string[] {
  const found = [...textOf(path).matchAll(/\bcondition: "([a-z -]+)"/g)].map((hit) => hit[1] as string);
  return [...new Set(found)].sort();
}

const engine = filesUnder("src/engine", ".ts").filter((path) => !path.endsWith(".test.ts"));
const refusing = engine.filter((path) => refusesWith(path).length > 0);

test("every file of the engine that rejects requests is listed with its conditions", () => {
  const expected = refusing.map((path) => ({
    file: path.replace("src/engine/", ""),
    problems: refusesWith(path),
  }));
  const listed = rows.filter(({ file, problems }) => !file.startsWith("../") && problems.length > 0);
  const byFile = (a: { file: string }, b: { file: string }) => (a.file < b.file ? -1 : 1);
  assert.deepEqual(
    listed.map(({ file, problems }) => ({ file, problems: problems.toSorted() })).toSorted(byFile),
    expected.toSorted(byFile),
  );
});

test("every step is in the drawing or in a table, and every named file exists", () => {
  const steps = filesUnder("src/engine/steps", ".ts").filter((path) => !path.endsWith(".test.ts"));
  const text = textOf(page);
  assert.deepEqual(
    steps.filter((path) => !text.includes(path.replace("src/engine/", ""))),
    [],
  );
  const named = [...text.matchAll(/(?:\.\.\/)?[a-z-]+\/[a-z-]+\.ts/g)].map((hit) => hit[0]);
  assert.deepEqual(
    named.filter((path) => !existsSync(pathOf(`src/engine/${path}`))),
    [],
  );
});

test("every condition comes from a step, or is listed as coming from none", () => {
  const produced = new Set(rows.flatMap(({ problems }) => problems));
  const never = [
    ...textOf(page)
      .split("## Never produced by this version")[1]!
      .matchAll(/^- \*([a-z -]+)\*/gm),
  ];
  assert.deepEqual([...produced, ...never.map((hit) => hit[1])].toSorted(), [...conditions].toSorted());
});
