/** PostgreSQL identifiers: long names, and system columns. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { columnIdentifier, shortName, tableIdentifier } from "./names.ts";

test("a name within the limit is unchanged", () => {
  assert.equal(columnIdentifier("created_at"), '"created_at"');
  assert.equal(tableIdentifier('Say "it"'), '"Say ""it"""');
  assert.equal(shortName("ä".repeat(31)), "ä".repeat(31));
});

test("a longer name keeps its beginning, stays unique and isn't cut within a character", () => {
  const [first, second] = [shortName(`${"ä".repeat(40)}1`), shortName(`${"ä".repeat(40)}2`)];
  assert.notEqual(first, second);
  assert.match(first, /^ä{25}~[0-9a-f]{12}$/);
  assert.ok(Buffer.byteLength(shortName("😀".repeat(40))) <= 63);
});

test("a field may have the name of a system column", () => {
  assert.equal(columnIdentifier("ctid"), '"field ctid"');
});
