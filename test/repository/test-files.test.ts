/**
 * Test files: `npm test` runs each exactly once, alone or in a process with others
 * (`test/together`).
 */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { filesOf, roomNames } from "../together/together.ts";
import { filesUnder, pathOf, textOf } from "./repository.ts";

const rooms = filesUnder("test/together", ".test.ts");

test("each room of tests is started by the file with its name", () => {
  assert.deepEqual(rooms, roomNames.map((name) => `test/together/${name}.test.ts`).toSorted());
});

test("every test file runs once", () => {
  const { scripts } = JSON.parse(textOf("package.json")) as { readonly scripts: { readonly test: string } };
  const requested = [...scripts.test.matchAll(/"([^"]*\.test\.ts)"/g)].flatMap(([, glob = ""]) =>
    globSync(glob, { cwd: pathOf(".") }),
  );
  const alone = requested.filter((path) => !rooms.includes(path));
  assert.deepEqual(
    [...alone, ...roomNames.flatMap(filesOf)].toSorted(),
    [...filesUnder("src", ".test.ts"), ...filesUnder("test", ".test.ts")]
      .filter((path) => !rooms.includes(path))
      .toSorted(),
  );
  assert.deepEqual(
    rooms.filter((path) => !requested.includes(path)),
    [],
  );
});
