/** Compilation in a worker: results, reuse and time limit. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "./compile.ts";
import { compileInWorker } from "./compile-in-worker.ts";

test("a worker gives the same result as compiling in this thread", async () => {
  const text = readFileSync(new URL("../examples/parcel-desk.md", import.meta.url), "utf8");
  const there = await compileInWorker(text, { file: "parcel-desk.md", timeoutMs: 20_000 });
  assert.deepEqual(there, structuredClone(compile(text, { file: "parcel-desk.md" })));
});

test("concurrent documents have workers of their own, and later ones reuse the idle worker", async () => {
  const names = ["a", "b", "c"];
  const named = (name: string) =>
    compileInWorker(`# Interface Specification: ${name}\n`, { file: `${name}.md`, timeoutMs: 20_000 });
  for (let round = 0; round < 3; round += 1) {
    const all = await Promise.all(names.map(named));
    assert.deepEqual(
      all.map(({ model }) => model?.name),
      names,
    );
    assert.equal((await named("d")).model?.name, "d");
  }
});

test("a worker that takes too long is stopped, and this is reported", async () => {
  const { diagnostics, model } = await compileInWorker("# Interface Specification: X\n".repeat(10_000), {
    file: "x.md",
    timeoutMs: 0,
  });
  assert.deepEqual(
    diagnostics.map((diagnostic) => diagnostic.code),
    ["document/too-slow"],
  );
  assert.equal(model, undefined);
});

test("a stopped worker receives no further document", async () => {
  const slow = "# Interface Specification: X\n".repeat(10_000);
  await compileInWorker(slow, { file: "x.md", timeoutMs: 0 });
  const { model } = await compileInWorker("# Interface Specification: Y\n", {
    file: "y.md",
    timeoutMs: 20_000,
  });
  assert.equal(model?.name, "Y");
});
