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

/** Rooms that were full of other work when this test was written: what stands in them unused may not grow, and goes. */
const stillThere: readonly string[] = [
  "src/cli/serving/settings.ts#variableOf",
  "src/operations/api/events.ts#eventAnswer",
  "src/operations/api/events.ts#tellEvent",
  "src/operations/api/field-errors.ts#unknownName",
  "src/operations/api/openapi.ts#openapiOf",
  "src/operations/api/receiver.ts#receivedAnswer",
  "src/operations/api/resources.ts#fieldAnswer",
  "src/operations/api/resources.ts#tellType",
  "src/operations/api/resources.ts#typeAnswer",
  "src/operations/api/staged-imports.ts#StagedImports",
  "src/operations/overview/live.ts#countMost",
  "src/operations/trial/send.ts#trialLimits",
  "src/store/changing/dangling.ts#encoderOfKey",
  "src/store/changing/shown.ts#secretShown",
  "src/store/changing/take-steps.ts#takeStep",
  "src/store/moving/moved-table.ts#columnIn",
  "src/store/postgres/connection.ts#withNumbers",
  "src/store/postgres/json.ts#inForm",
  "src/store/postgres/refusals.ts#onlyFiles",
];

/** `src/a.ts#name` of every name that a file imports by that name, and the files that are imported whole. */
function imported(): { readonly names: ReadonlySet<string>; readonly whole: ReadonlySet<string> } {
  const form =
    /\b(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|[\w*$][^"';{]*)\s*from\s*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/g;
  const names = new Set<string>();
  const whole = new Set<string>();
  for (const path of code) {
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

test("what a source exports is imported by another file", () => {
  const { names, whole } = imported();
  const form = /^export (?:async )?(function\*?|const|let|class|interface|type) ([A-Za-z_$][\w$]*)/gm;
  const unused = code
    .filter((path) => /^src\/.*(?<!\.test)\.ts$/.test(path) && !forOthers.test(path) && !whole.has(path))
    .flatMap((path) => {
      const text = codeOf(path);
      return [...text.matchAll(form)].flatMap(([, kind, name]) => {
        const key = `${path}#${name}`;
        // A type that stands in what is exported beside it has a name for whoever wants to say it.
        const isNamedHere =
          (kind === "interface" || kind === "type") &&
          text.split(new RegExp(`\\b${name?.replaceAll("$", "\\$")}\\b`)).length > 2;
        return names.has(key) || isNamedHere ? [] : [key];
      });
    });
  assert.deepEqual(
    unused.filter((key) => !stillThere.includes(key)),
    [],
  );
});
