/** Large client: the generated client of a document with 1,000 endpoints. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import type { Model } from "../../src/model/model.ts";
import type { Generated } from "../../src/outputs/output.ts";
import { clientOutput } from "../../src/outputs/client/client.ts";
import { largeDocument } from "../exports/large-document.ts";
import { soon } from "../processor-time.ts";

test("the time to generate a client of 1,000 endpoints grows linearly", () => {
  const { model } = compile(largeDocument(1_000), { file: "large.md" });
  const { files } = soon("the client", () => clientOutput.generate(model as Model, {}) as Generated);
  const functions = files
    .filter(({ path }) => /^things\d+\.js$|^thing\d+s\.js$/.test(path))
    .flatMap(({ text }) => text.match(/^export function (?!until)/gm) ?? []);
  assert.equal(functions.length, 1_000);
});
