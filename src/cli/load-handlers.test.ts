/** Loading of the handlers' module: unit tests. */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runCommand } from "./testing/run-command.ts";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/**
 * The example with handlers, in a folder of its own, with `module` as its handlers' module, or
 * without one.
 */
function copyOf(module?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-handlers-"));
  folders.push(folder);
  cpSync(join(examples, "delivery-quotes.md"), join(folder, "quotes.md"));
  if (module !== undefined) writeFileSync(join(folder, "quotes.ts"), module);
  return join(folder, "quotes.md");
}

const run = runCommand;

test("the example with handlers passes its scenarios", async () => {
  const { code, out, complaints } = await run("test", join(examples, "delivery-quotes.md"));
  assert.deepEqual({ code, complaints }, { code: 0, complaints: "" });
  assert.match(out, /2 passed, 0 failed/);
});

for (const name of ["delivery-quotes", "twins/cloudinary", "twins/launchdarkly"])
  test(`the declaration of ${name} is the one that \`types\` writes`, async () => {
    const { code, out } = await run("types", join(examples, `${name}.md`), "--out", "-");
    assert.equal(code, 0);
    assert.equal(out, readFileSync(join(examples, `${name}.types.ts`), "utf8"));
  });

test("types are written next to the document, or to the given path", async () => {
  const file = copyOf();
  const typesFile = file.replace(/\.md$/, ".types.ts");
  assert.deepEqual(await run("types", file), { code: 0, out: `${typesFile} is written.\n`, complaints: "" });
  assert.match(readFileSync(typesFile, "utf8"), /^\/\*\* Written by `ninefold types quotes.md`/);
  const nowhere = await run("types", file, "--out", join(file, "x.ts"));
  assert.equal(nowhere.code, 3);
});

test("a missing module is reported with the places that need it, and check needs none", async () => {
  const file = copyOf();
  assert.equal((await run("check", file)).code, 0);
  const { code, complaints } = await run("test", file);
  assert.equal(code, 1);
  assert.match(
    complaints,
    /quotes\.md:\d+ requires the handler `quote`, but quotes\.ts does not exist in its folder/,
  );
  assert.match(complaints, /requires the function `label`/);
});

test("check and types never run the module", async () => {
  const file = copyOf("globalThis.ninefoldModuleWasRun = true;");
  assert.equal((await run("check", file)).code, 0);
  assert.equal((await run("types", file, "--out", "-")).code, 0);
  assert.equal("ninefoldModuleWasRun" in globalThis, false);
  await run("test", file);
  assert.equal("ninefoldModuleWasRun" in globalThis, true);
});

test("a handler under another name is reported with the nearest", async () => {
  const file = copyOf("export const handlers = { qoute() {}, book() {}, swap() {} };");
  const { complaints } = await run("test", file);
  assert.match(
    complaints,
    /`quote`, but `handlers` of quotes\.ts has no function with this name \(did you mean `qoute`\?\)/,
  );
});

test("a module that can't be loaded, or exports something else, ends with 3", async () => {
  const thrown = await run("test", copyOf('throw new Error("no tariff file");'));
  assert.equal(thrown.code, 3);
  assert.match(thrown.complaints, /quotes\.ts could not be loaded: no tariff file/);
  const notFunction = await run("test", copyOf("export const handlers = { quote: 7 };"));
  assert.equal(notFunction.code, 3);
  assert.match(notFunction.complaints, /`handlers\.quote` must be a function/);
});
