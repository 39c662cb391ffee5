/** `Placement` (3.5): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { phraseOf } from "../../../source/phrase.ts";
import { createSource } from "../../../source/source.ts";
import { parsePlacement } from "./authentication-placement.ts";

function read(text: string): unknown {
  const placement = parsePlacement(phraseOf(createSource("a.md", text), 0, text.length));
  if ("unreadable" in placement) return { unreadable: placement.unreadable.text };
  const { position: _where, ...rest } = placement;
  return rest;
}

test("a header may have no prefix, one, or several", () => {
  assert.deepEqual(read("header X-Api-Key"), { kind: "header", name: "X-Api-Key", prefixes: [] });
  assert.deepEqual(read("header Authorization, after Bearer"), {
    kind: "header",
    name: "Authorization",
    prefixes: ["Bearer"],
  });
  assert.deepEqual(read("header `Authorization`, after `Bearer` or token"), {
    kind: "header",
    name: "Authorization",
    prefixes: ["Bearer", "token"],
  });
  assert.deepEqual(read("header Authorization, after Token token= or key="), {
    kind: "header",
    name: "Authorization",
    prefixes: ["Token token=", "key="],
  });
  assert.deepEqual(read("header Authorization, after Token token"), { unreadable: "Token token" });
});

test("a credential may be in the query, in a cookie, or in basic authentication", () => {
  assert.deepEqual(read("query key"), { kind: "query", name: "key" });
  assert.deepEqual(read("`cookie session`"), { kind: "cookie", name: "session" });
  assert.deepEqual(read("basic user"), { kind: "basic", parts: ["user"] });
  assert.deepEqual(read("Basic user and password"), { kind: "basic", parts: ["user", "password"] });
});

test("the smallest unreadable piece is reported", () => {
  assert.deepEqual(read("body key"), { unreadable: "body key" });
  assert.deepEqual(read("header Authorization, before Bearer"), { unreadable: "before Bearer" });
  assert.deepEqual(read("header Authorization, after"), { unreadable: "after" });
  assert.deepEqual(read("header X Api Key"), { unreadable: "X Api Key" });
  assert.deepEqual(read("basic user and user"), { unreadable: "user and user" });
  assert.deepEqual(read("query key, after Bearer"), { unreadable: "after Bearer" });
});
