/** SQL statements: forms that the SQL texts of this repository must not have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, filesUnder } from "./repository.ts";

test("no statement has a bare bound LIMIT, for which SQLite plans it again at each run (bound-limit.ts)", () => {
  assert.deepEqual(
    [...filesUnder("src", ".ts"), ...filesUnder("bench", ".ts")].filter((path) =>
      /\b(?:LIMIT|OFFSET) +(?:\?|\$\{(?:count|limit|offset)\})/.test(codeOf(path)),
    ),
    [],
  );
});
