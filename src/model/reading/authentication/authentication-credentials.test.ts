/** `Credentials` and `Signed with` (3.5): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { phraseOf } from "../../../source/phrase.ts";
import { createSource } from "../../../source/source.ts";
import { parseCredentials } from "./authentication-credentials.ts";

function read(text: string): unknown {
  const words = parseCredentials(phraseOf(createSource("a.md", text), 0, text.length));
  if ("unreadable" in words) return { unreadable: words.unreadable.text };
  return [words.resource.text, words.by.map((phrase) => phrase.text), words.for?.text, words.fromClaim?.text];
}

test("credentials are found by one field or two, for another record, or from a claim", () => {
  assert.deepEqual(read("ApiKey by key"), ["ApiKey", ["key"], undefined, undefined]);
  assert.deepEqual(read("`ApiKey` by `key`, for user"), ["ApiKey", ["key"], "user", undefined]);
  assert.deepEqual(read("Account by sid and auth_token"), [
    "Account",
    ["sid", "auth_token"],
    undefined,
    undefined,
  ]);
  assert.deepEqual(read("User by id, from claim sub"), ["User", ["id"], undefined, "sub"]);
});

test("anything else can't be read", () => {
  assert.deepEqual(read("ApiKey"), { unreadable: "ApiKey" });
  assert.deepEqual(read("ApiKey by a and b and c"), { unreadable: "ApiKey by a and b and c" });
  assert.deepEqual(read("ApiKey by key, of user"), { unreadable: "of user" });
  assert.deepEqual(read("User by id, from claim"), { unreadable: "from claim" });
});
