/** The samples of empty pages: together they form a document, and the pages show it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { samples } from "../../console/src/parts/samples.ts";
import { emptyDocument } from "../../src/cli/empty-document.ts";
import { compile } from "../../src/compile.ts";
import { axeClean, fits, lookAt } from "./open-console.ts";

test("the samples, written into an empty form, make a document without mistakes", () => {
  const parts = [
    ["## Resources and their fields", samples.resource],
    ["## States and transitions", samples.states],
    ["## Endpoints", samples.endpoint],
  ] as const;
  const text = parts.reduce(
    (before, [heading, sample]) =>
      before.replace(new RegExp(`${heading}\\n[\\s\\S]*?(?=\\n## )`), () => `${heading}\n\n${sample}\n`),
    emptyDocument("Rooms"),
  );
  const { model, diagnostics } = compile(text, { file: "rooms.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    [],
  );
  assert.equal(model?.endpoints.length, 1);
  assert.deepEqual(
    model?.resources[0]?.states?.states.map(({ name }) => name),
    ["open", "closed"],
  );
});

for (const [path, words] of [
  ["/data", "### Room"],
  ["/states", "- State field: status"],
  ["/try", "### GET /rooms"],
] as const)
  test(`an empty ${path} has the lines that would fill it`, async () => {
    const { page, close } = await (await lookAt("examples/unidentified-service.md")).open(path);
    await page.getByRole("group", { name: "Lines to write" }).getByText(words).waitFor();
    await page.getByRole("link", { name: "Show the document" }).waitFor();
    await axeClean(page);
    await fits(page, 360);
    await close();
  });
