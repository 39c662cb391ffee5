import assert from "node:assert/strict";
import { test } from "node:test";
import { columnIdentifier, shortName, tableIdentifier } from "./names.ts";

test("names that fit stay as they are", () => {
  assert.equal(columnIdentifier("created_at"), '"created_at"');
  assert.equal(tableIdentifier('Say "it"'), '"Say ""it"""');
  assert.equal(shortName("ä".repeat(31)), "ä".repeat(31));
});

test("longer ones keep their beginning, stay apart and are never cut within a character", () => {
  const [one, other] = [shortName(`${"ä".repeat(40)}1`), shortName(`${"ä".repeat(40)}2`)];
  assert.notEqual(one, other);
  assert.match(one, /^ä{25}~[0-9a-f]{12}$/);
  assert.ok(Buffer.byteLength(shortName("😀".repeat(40))) <= 63);
});

test("a field may be called as a column that every table has", () => {
  assert.equal(columnIdentifier("ctid"), '"field ctid"');
});
