import assert from "node:assert/strict";
import { test } from "node:test";
import { shownStore } from "../index.ts";

test("an address is told without its password, wherever that stands in it", () => {
  assert.equal(shownStore("postgres://me:secret@host/db?schema=desk"), "postgres://me:…@host/db?schema=desk");
  assert.doesNotMatch(shownStore("postgres://me@host/db?password=secret&sslmode=require"), /secret/);
});
