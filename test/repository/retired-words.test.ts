/** Retired words: how many each room still has, in names, comments and texts. There may only be fewer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { filesUnder, textOf } from "./repository.ts";
import { retiredIn } from "./retired-words.ts";

/** At most so many in a room; a room that has fewer lowers its number. */
const mostIn: Readonly<Record<string, number>> = {
  console: 2,
  docs: 22,
  prose: 3,
  "src/admin": 3,
  "src/checks": 2,
  "src/cli": 4,
  "src/diagnostics": 3,
  "src/engine": 19,
  "src/expressions": 2,
  "src/inputs": 2,
  "src/model": 4,
  "src/outputs": 1,
  "src/store": 163,
  "src/syntax": 1,
  test: 903,
};

const prose = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

function roomOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  if (prose.includes(path)) return "prose";
  return first === "src" && !second.includes(".") ? `${first}/${second}` : first;
}

function counted(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  const files = ["src", "console/src", "test", "scripts", "bench", "docs"]
    .flatMap((folder) => filesUnder(folder))
    .filter((path) => /\.(ts|tsx|js|mjs|md)$/.test(path) && !path.includes("/retired-words."));
  for (const path of [...files, ...prose]) {
    const room = roomOf(path);
    counts[room] = (counts[room] ?? 0) + retiredIn(textOf(path)).length;
  }
  return counts;
}

test("no room has more retired words than it had", () => {
  for (const [room, count] of Object.entries(counted()))
    assert.ok(count <= (mostIn[room] ?? 0), `${room}: ${count} retired words, at most ${mostIn[room] ?? 0}`);
});

test("a retired word is found in names, comments and phrases, with its line", () => {
  const text = "const wasAsked = 1;\n// Whoever calls lets in everybody.\nconst tasks = toldBy;\n";
  assert.deepEqual(retiredIn(text), [
    { word: "asked", line: 1 },
    { word: "whoever", line: 2 },
    { word: "lets in", line: 2 },
    { word: "told", line: 3 },
  ]);
});
