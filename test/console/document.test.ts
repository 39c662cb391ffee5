/**
 * The document page of the console: every line has a link, and a text that was saved with mistakes
 * is shown with them while the previous one is served.
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually } from "../eventually.ts";
import { pathOf } from "../repository/repository.ts";
import {
  axeClean,
  type ConsoleTested,
  fits,
  focused,
  openConsole,
  press,
  shownDocuments,
} from "./open-console.ts";

for (const document of shownDocuments) {
  test(`${document} is accessible, fits a phone, and names each part`, async () => {
    const tested = await openConsole(document);
    try {
      const { page, close } = await tested.open("/document");
      await page.locator("article.document").waitFor();
      await eventually(async () =>
        assert.equal(await page.getByRole("navigation", { name: "Parts" }).locator("> ol > li").count(), 9),
      );
      // Long documents have the same elements, only more of them, and checking each takes a while.
      await axeClean(
        page,
        document.includes("stripe") || document.includes("conduit") ? ["light"] : ["light", "dark"],
      );
      await fits(page, 360);
      await close();
    } finally {
      await tested.close();
    }
  });
}

describe("a reader of parcel-desk", () => {
  let tested: ConsoleTested;
  before(async () => {
    tested = await openConsole("examples/parcel-desk.md");
  });
  after(() => tested?.close());

  test("gets links to a row and to a line in a paragraph, and moves between headings by keys", async () => {
    const text = readFileSync(pathOf("examples/parcel-desk.md"), "utf8").split("\n");
    const lineOf = (form: RegExp) => text.findIndex((line) => form.test(line)) + 1;
    const row = lineOf(/^\| deliver /);
    const { page, close } = await tested.open(`/document#L${row}`);
    await page.locator("tr.is-target", { hasText: "signed_by" }).waitFor();
    await eventually(async () => assert.equal(await focused(page), `a: Line ${row}`));
    // The second line of an item.
    await page.goto(`${tested.address}/document#L${lineOf(/^ {2}days\. A shop sees/)}`);
    await page.locator("p.is-target", { hasText: "a parcel is weighed once" }).waitFor();
    await press(page, "j");
    await page.waitForURL(new RegExp(`#L${lineOf(/^### Scenario/)}$`));
    await close();
  });
});

test("a saved text with mistakes is shown with them, and the running text can be shown, too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-console-"));
  const file = join(folder, "desk.md");
  copyFileSync(pathOf("examples/parcel-desk.md"), file);
  const tested = await openConsole(file, ["--watch"]);
  try {
    const { page, close } = await tested.open("/");
    await page.getByText("Live", { exact: true }).last().waitFor();
    const good = readFileSync(file, "utf8");
    const faulty = good
      .replace(/(\| weight_grams +\|) integer /, "$1 number of grams ")
      .replace("- Unique: shop, reference", "- Uniqe: shop, reference");
    writeFileSync(file, faulty);
    const banner = page.getByRole("alert");
    await banner.getByText("The last saved document has mistakes").waitFor();
    await axeClean(page);
    await banner.getByRole("link", { name: "Show the mistakes" }).click();
    await page.locator(".mark.bad", { hasText: "number of grams" }).first().waitFor();
    const misspelt = page.locator(".mark.bad", { hasText: "Uniqe" });
    await misspelt.locator("pre", { hasText: "- Unique: shop, reference" }).waitFor();
    await axeClean(page);
    await page.getByRole("link", { name: "Show the running text" }).click();
    await page.getByRole("link", { name: "Show the saved text" }).waitFor();
    await eventually(async () => assert.equal(await page.locator(".mark.bad").count(), 0));
    writeFileSync(file, good);
    await banner.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Show the saved text" }).waitFor({ state: "detached" });
    await close();
  } finally {
    await tested.close();
    rmSync(folder, { recursive: true });
  }
});
