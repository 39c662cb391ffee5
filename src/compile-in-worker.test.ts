import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "./compile.ts";
import { compileInWorker } from "./compile-in-worker.ts";

test("a thread gives the same as compiling here", async () => {
  const text = readFileSync(new URL("../examples/parcel-desk.md", import.meta.url), "utf8");
  const there = await compileInWorker(text, { file: "parcel-desk.md", timeoutMs: 20_000 });
  assert.deepEqual(there, structuredClone(compile(text, { file: "parcel-desk.md" })));
});

test("a thread that takes too long is stopped, and that is told", async () => {
  const { diagnostics, model } = await compileInWorker("# Interface Specification: X\n".repeat(10_000), {
    file: "x.md",
    timeoutMs: 0,
  });
  assert.deepEqual(
    diagnostics.map((one) => one.code),
    ["document/too-slow"],
  );
  assert.equal(model, undefined);
});
