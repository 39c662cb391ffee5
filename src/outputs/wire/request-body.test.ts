/** The description of an operation's body, as clients and pages see it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { wireOf } from "./build-wire.ts";

const path = new URL("../../../examples/twins/cloudinary.md", import.meta.url);

test("if an input may be a file, multipart is the first media type; other forms have a text instead", () => {
  const { model } = compile(readFileSync(path, "utf8"), { file: "cloudinary.md" });
  assert.ok(model);
  const kindsOf = (end: string) =>
    wireOf(model)
      .operations.find((operation) => operation.method === "POST" && operation.path.endsWith(end))
      ?.body?.mediaTypes.map(({ kind }) => kind);
  assert.deepEqual(kindsOf("/upload"), ["multipart", "form"]);
  assert.deepEqual(kindsOf("/rename"), ["form", "multipart"]);
});
