/**
 * Type assertions: each cast by way of `unknown` is listed here with its reason; the number of
 * other casts may only decrease.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, filesUnder } from "./repository.ts";

const sources = ["src", "console", "scripts"]
  .flatMap((folder) => [...filesUnder(folder, ".ts"), ...filesUnder(folder, ".tsx")])
  .filter((path) => !/\.test\.tsx?$/.test(path));

/**
 * Returns the casts `value as Type`, without imports or exports under another name, and without
 * `as const`.
 */
function castsIn(path: string): readonly string[] {
  const code = codeOf(path).replace(
    /^(?:import|export)\s(?:type\s)?(?:\{[^}]*\}|[\w*\s]+)\s+from[^;]*;/gm,
    "",
  );
  return [...code.matchAll(/[\w\])}"?!>]\s+as (?!const\b)(unknown as )?[\w([{"|]/g)].map(([cast]) => cast);
}

/** Casts through `unknown` that the compiler can't verify, each with its reason. */
const byWayOfUnknown: Readonly<Record<string, string>> = {
  "src/store/sqlite/connection/connection.ts":
    "the types of node:sqlite know no statement that gives its rows as arrays",
  "src/support/bare-object.ts": "a constructor without a class: V8 keeps what it makes as no hash table",
};

test("every cast through unknown has a reason", () => {
  const found = sources.flatMap((path) =>
    castsIn(path)
      .filter((cast) => cast.includes("unknown as"))
      .map(() => path),
  );
  assert.deepEqual(found.toSorted(), Object.keys(byWayOfUnknown));
});

/**
 * The maximum number of casts in a room. A change that removes some lowers its number; no number is
 * raised.
 */
const mostIn: Readonly<Record<string, number>> = {
  console: 49,
  scripts: 24,
  // The SDK has validated a tool's arguments by the tool's schema.
  "src/agents": 1,
  "src/checks": 8,
  "src/cli": 49,
  "src/compare": 1,
  "src/diagnostics": 10,
  "src/engine": 238,
  "src/expressions": 115,
  "src/fields": 46,
  "src/kit": 10,
  // A thread sends plain data: a response has the type of its request.
  "src/language-server": 2,
  "src/model": 135,
  "src/admin": 63,
  "src/outputs": 75,
  "src/scenarios": 3,
  "src/source": 2,
  "src/store": 171,
  "src/support": 24,
  "src/syntax": 54,
  "src/verify": 9,
};

test("the number of other casts only decreases", () => {
  const found: Record<string, number> = {};
  for (const path of sources) {
    const room = path
      .split("/")
      .slice(0, path.startsWith("src/") ? 2 : 1)
      .join("/");
    found[room] = (found[room] ?? 0) + castsIn(path).length;
  }
  const more = Object.entries(found).filter(([room, count]) => count > (mostIn[room] ?? 0));
  assert.deepEqual(more, [], "claims in a room, of which there were fewer");
});
