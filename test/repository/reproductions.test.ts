/** Reproductions: `test/reproductions.md` names existing tests. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { pathOf, textOf } from "./repository.ts";

const cases = "test/diagnostics/diagnostics.test.ts";

test("each reproduction names an existing test by its title", () => {
  const rows = textOf("test/reproductions.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^(?:\| )?`+ ?| ?`+(?: \|)?$/g, "")));
  assert.ok(rows.length > 40);
  const lost = rows.filter(([, , file = "", title = ""]) => {
    if (file === cases) return !existsSync(pathOf(`test/diagnostics/${title}.md`));
    return !existsSync(pathOf(file)) || !textOf(file).includes(title);
  });
  assert.deepEqual(lost, []);
});
