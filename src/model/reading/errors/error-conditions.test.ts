/** Conditions of errors (3.7, column `When`): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { phraseOf } from "../../../source/phrase.ts";
import { createSource } from "../../../source/source.ts";
import { conditions } from "../../errors/conditions.ts";
import { parseCase } from "./error-conditions.ts";

function read(text: string): unknown {
  const found = parseCase(phraseOf(createSource("a.md", text), 0, text.length));
  return found && [found.condition, found.rest.text];
}

test("every condition of the notation is read, in any case", () => {
  for (const condition of conditions) {
    assert.deepEqual(read(condition), [condition, ""]);
    assert.deepEqual(read(condition.toUpperCase()), [condition, ""]);
  }
});

test("the subject of a condition follows it", () => {
  assert.deepEqual(read("not found of User"), ["not found", "of User"]);
  assert.deepEqual(read("rate  limited core"), ["rate limited", "core"]);
  assert.equal(read("notfound"), undefined);
  assert.equal(read("internals"), undefined);
});
