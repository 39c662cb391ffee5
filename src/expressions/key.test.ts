/** Record keys: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { identifierReader, keyFormsIn } from "./compiling/identifier.ts";
import { keyLeaves, keyParts, keyText } from "./key.ts";
import type { Vocabulary } from "./scope.ts";
import { type Type, types } from "./type.ts";

const plans: Readonly<
  Record<string, { identifier: readonly string[]; fields: Record<string, Type>; anyCase?: string }>
> = {
  Repo: { identifier: ["name"], fields: { name: types.string }, anyCase: "name" },
  Issue: { identifier: ["repo", "number"], fields: { repo: record("Repo"), number: types.integer } },
  Comment: { identifier: ["issue", "at"], fields: { issue: record("Issue"), at: types.timestamp } },
  Draft: { identifier: ["comment"], fields: { comment: record("Comment") } },
  Vote: { identifier: ["draft", "by"], fields: { draft: record("Draft"), by: types.string } },
  Egg: { identifier: ["hen", "number"], fields: { hen: record("Hen"), number: types.integer } },
  Hen: { identifier: ["egg"], fields: { egg: record("Egg") } },
};

function record(resource: string): Type {
  return { kind: "record", resource };
}

const words = {
  resource(name: string) {
    const plan = plans[name];
    return (
      plan && {
        name,
        isValue: false,
        deletedMarked: false,
        identifier: plan.identifier,
        fields: new Map(
          Object.entries(plan.fields).map(([field, type]) => [
            field,
            { name: field, type, computed: false, hidden: false, anyCase: plan.anyCase === field },
          ]),
        ),
      }
    );
  },
} as unknown as Vocabulary;

const stored = (fields: Record<string, string | number>) => ({ "#row": 1, "#revision": 1, ...fields });

test("a key is the list of identifying values, and a nested key is a nested list", () => {
  const issue = identifierReader("Issue", words)(stored({ repo: "engine", number: 7 }));
  assert.equal(issue, '["engine",7]');
  const at = "2026-11-20T10:00:00.000Z";
  const comment = identifierReader("Comment", words)(stored({ issue: issue as string, at }));
  assert.equal(comment, `[["engine",7],"${at}"]`);
  assert.equal(identifierReader("Draft", words)(stored({ comment: comment as string })), comment);
  const vote = identifierReader("Vote", words)(stored({ draft: comment as string, by: "a" }));
  assert.equal(vote, `[[["engine",7],"${at}"],"a"]`);
  assert.deepEqual(keyParts(vote as string), [comment, "a"]);
  assert.deepEqual(keyParts(comment as string), [issue, at]);
  assert.deepEqual(keyLeaves(vote as string), ["engine", 7, at, "a"]);
});

test("a reference is already a key, and loaded records within a record are replaced by their keys", () => {
  const read = identifierReader("Issue", words);
  assert.equal(read('["engine",7]'), '["engine",7]');
  assert.equal(read(null), null);
  const whole = { "#row": 1, "#revision": 1, repo: stored({ name: "engine" }), number: 7 };
  assert.equal(read(whole), '["engine",7]');
});

test("a key that is compared without case is in lower case, so that one record has one key", () => {
  assert.deepEqual(keyFormsIn("Issue", words), ["folded", "plain"]);
  assert.equal(identifierReader("Issue", words)(stored({ repo: "Engine", number: 7 })), '["engine",7]');
  assert.deepEqual(keyFormsIn("Comment", words), ["key", "plain"]);
});

test("texts that look like a key are not keys, and texts keep every character", () => {
  const forms = ["plain", "plain"] as const;
  const key = keyText(['["a",1]', 'q"u\\o\u0007é😀'], forms);
  assert.deepEqual(keyParts(key as string), ['["a",1]', 'q"u\\o\u0007é😀']);
  assert.notEqual(key, keyText(['["a",1]', 'q"u\\o\u0007é😀'], ["key", "plain"]));
});

test("a missing value gives no key, and circular identifiers terminate", () => {
  assert.equal(keyText(["a", null], ["plain", "plain"]), null);
  assert.equal(identifierReader("Issue", words)(stored({ repo: "engine" })), null);
  assert.deepEqual(keyFormsIn("Egg", words), ["plain", "plain"]);
  assert.equal(identifierReader("Hen", words)(stored({ egg: "x" })), "x");
});
