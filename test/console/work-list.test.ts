/**
 * The open questions of a document in a real browser: answers are shown as changed lines, and
 * written on confirmation.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../eventually.ts";
import { textOf } from "../repository/repository.ts";
import { axeClean, fits, lookAt, openConsole } from "./open-console.ts";

test("answers are accepted, typed and rejected, and the file has them once they are confirmed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-work-list-"));
  const file = join(folder, "pets.md");
  writeFileSync(file, textOf("test/console/pets.md"));
  const served = await openConsole(file, ["--watch"]);
  try {
    const { page, close } = await served.open("/document", { expects: /409|Failed to load|ERR_/ });
    await page.getByRole("link", { name: "Open questions" }).click();
    await page.getByRole("heading", { name: /a POST at a collection creates/ }).waitFor();
    await axeClean(page);
    await fits(page, 360);
    const before = readFileSync(file, "utf8");
    await page.getByRole("button", { name: /^Accept all likely/ }).click();
    const dialog = page.getByRole("dialog", { name: "Write into the document?" });
    await dialog.getByText("+ - Identifier: id, made by `uuid()`").waitFor();
    await axeClean(page);
    await fits(page, 360);
    assert.equal(readFileSync(file, "utf8"), before, "nothing is written before it is confirmed");
    await dialog.getByRole("button", { name: "Write pets.md" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.match(readFileSync(file, "utf8"), /- Identifier: id, made by `uuid\(\)`[\s\S]*- Does: create Pet/);
    // With --watch the service reloads the document, and the list is computed again.
    await eventually(async () =>
      assert.equal(await page.getByRole("heading", { name: /a POST at a collection creates/ }).count(), 0),
    );
    const owner = page.getByLabel("Answer for how the identifier of Owner is created");
    await owner.fill("sequence(");
    await owner.press("Enter");
    await dialog.getByText(/would be a mistake/).waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Write pets.md" }).isEnabled(), false);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await owner.fill("random(12)");
    await owner.press("Enter");
    await dialog.getByText("+ - Identifier: id, made by `random(12)`").waitFor();
    // Another user has edited the file meanwhile: nothing is overwritten.
    writeFileSync(file, readFileSync(file, "utf8").replace("keeps pets", "keeps all pets"));
    await dialog.getByRole("button", { name: "Write pets.md" }).click();
    await dialog.getByText("Changed meanwhile").waitFor();
    assert.match(readFileSync(file, "utf8"), /keeps all pets/);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.reload();
    const deletes = page.getByRole("region", { name: /a DELETE at an item deletes/ });
    await deletes.getByRole("button", { name: "Reject" }).click();
    await dialog.getByRole("button", { name: "Write pets.md" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.match(readFileSync(file, "utf8"), /<!-- ninefold next: rejected delete -->/);
    await close();
  } finally {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a document that consists of gaps has its questions, too", async () => {
  const { page, close } = await (await lookAt("examples/unidentified-service.md")).open(
    "/document?view=questions",
  );
  await page.locator(".questions li").first().waitFor();
  assert.equal(await page.getByText(/^Likely: |\. Likely: /).count(), 0, "no proposal is likely");
  await axeClean(page);
  await fits(page, 360);
  await close();
});
