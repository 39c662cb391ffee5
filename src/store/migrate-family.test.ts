/**
 * Migrations as a family: every change of one field's row against every other, over stored records. Each is made, or
 * reported as a plan; nothing else happens.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { compile } from "../compile.ts";
import type { Value } from "../expressions/value.ts";
import type { Model } from "../model/model.ts";
import { StoreMismatch } from "./errors.ts";
import { openTestStore } from "./test-files.ts";
import { sqliteAlone } from "../../test/sqlite-alone.ts";

/** Rows of a field, each with values that two records may have. */
const rows: Readonly<Record<string, readonly [Value, Value]>> = {
  "": [null, null],
  "| code | string | |": ["x", "y"],
  "| code | string | required |": ["x", "x"],
  "| code | string | unique |": ["x", "X"],
  "| code | string | unique, any case |": ["x", null],
  '| code | string | required, unique, default `"x"` |': ["x", "y"],
  '| code | string | default `"x"` |': ["x", "x"],
  "| code | integer | |": [1, 2],
  "| code | integer | required, unique, default `1` |": [1, 2],
  "| code | number | |": [1.5, 2.5],
  "| code | decimal | unique |": ["1.0", "2.0"],
  "| code | boolean | default `true` |": [true, false],
  "| code | one of `x`, `y` | |": ["x", "y"],
  "| code | one of `x`, `z` | required |": ["x", "z"],
  "| code | timestamp | |": ["2026-11-20T12:00:00.000Z", null],
  "| code | Shop | |": ["s1", null],
  "| code | Shop | required |": ["s1", "s1"],
  "| code | list of string | |": [["x"], ["x", "y"]],
  "| code | json | |": [{ a: 1 }, "x"],
};

const models = new Map<string, Model>();

function modelWith(row: string): Model {
  const known = models.get(row);
  if (known) return known;
  const { model, diagnostics } = compile(
    `# Interface Specification: Notes

## What the service does

## Resources and their fields

### Shop

- Identifier: id

| Field | Type | Rules |
|---|---|---|
| id | string | |

### Note

- Identifier: id

| Field | Type | Rules |
|---|---|---|
| id | string | |
${row === "" ? "" : `${row}\n`}
## States and transitions

## Endpoints

## Authentication

## Events

## Errors

## Limits

## Versioning
`,
    { file: "notes.md" },
  );
  const errors = diagnostics
    .filter((diagnostic) => diagnostic.severity === "error")
    .map((diagnostic) => diagnostic.message);
  assert.deepEqual(errors, [], row);
  models.set(row, model as Model);
  return model as Model;
}

/** A store in memory with two records, as it would be found by the next start. */
async function kept(t: TestContext, row: string) {
  const store = await openTestStore(t, modelWith(row));
  const values = rows[row] as readonly [Value, Value];
  await store.write(async (transaction) => {
    await transaction.insert("Shop", { id: "s1" });
    for (const [at, code] of values.entries())
      await transaction.insert("Note", { id: `n${at}`, ...(row === "" ? {} : { code }) });
  });
  const snapshot = await store.snapshot?.();
  assert.ok(snapshot);
  return { store, snapshot };
}

/** The reported message, or null where the change was made. */
async function outcome(open: () => Promise<unknown>): Promise<string | null> {
  try {
    await open();
    return null;
  } catch (error) {
    // Anything else would have ended the start as a fault.
    if (!(error instanceof StoreMismatch)) throw error;
    assert.ok(error.losses.length + error.obstacles.length > 0);
    return error.message;
  }
}

const snapshots = sqliteAlone("a start begins with a snapshot, and PostgreSQL gives none");

for (const before of Object.keys(rows)) {
  test(
    `each change of ${before === "" ? "no field" : before} is applied or reported`,
    snapshots,
    async (t) => {
      const { store, snapshot } = await kept(t, before);
      for (const after of Object.keys(rows)) {
        const reported = await outcome(() =>
          openTestStore(t, modelWith(after), ":memory:", { initialContent: snapshot }),
        );
        // A check of an open store reports the same as opening it.
        const fit = await outcome(() => store.fits(modelWith(after), { path: ":memory:", losesData: false }));
        assert.equal(fit, reported, `${before} to ${after}`);
      }
    },
  );
}

test(
  "a new unique field whose default several records would have is reported, and one record may have it",
  snapshots,
  async (t) => {
    const after = modelWith('| code | string | required, unique, default `"x"` |');
    const { snapshot } = await kept(t, "");
    assert.match(
      String(await outcome(() => openTestStore(t, after, ":memory:", { initialContent: snapshot }))),
      /Can't be done:\n {2}- Note: code must be unique, and code is new: several records would have its default$/,
    );
    const store = await openTestStore(t, modelWith(""));
    await store.write((transaction) => transaction.insert("Note", { id: "n1" }));
    const alone = await store.snapshot?.();
    assert.ok(alone);
    await openTestStore(t, after, ":memory:", { initialContent: alone });
  },
);

test("a removed field in which all records have the default needs no confirmation", snapshots, async (t) => {
  const gone = async (row: string, losesData = false) => {
    const { snapshot } = await kept(t, row);
    return outcome(() =>
      openTestStore(t, modelWith(""), ":memory:", { initialContent: snapshot, losesData }),
    );
  };
  assert.equal(await gone('| code | string | default `"x"` |'), null);
  assert.match(
    String(await gone("| code | boolean | default `true` |")),
    /Note\.code: its value in 1 Note: false \(n1\)$/,
  );
  assert.match(String(await gone("| code | integer | |")), /Note\.code: its value in 2 records of Note: .*$/);
});
