/**
 * The overview of the four documents: what is served, what is stated and open, and live figures
 * while requests arrive.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually } from "../eventually.ts";
import { axeClean, type ConsoleTested, fits, openConsole, shownDocuments } from "./open-console.ts";

for (const document of shownDocuments) {
  describe(`the overview of ${document}`, () => {
    let tested: ConsoleTested;
    before(async () => {
      tested = await openConsole(document);
    });
    after(() => tested?.close());

    test("shows nine parts with 26 items, is accessible, and fits a phone", async () => {
      const { page, close } = await tested.open("/");
      await page.getByRole("heading", { name: "What the document says" }).waitFor();
      await eventually(async () => assert.equal(await page.locator(".nine-part").count(), 9));
      await eventually(async () => assert.equal(await page.locator(".item").count(), 26));
      // If nearly everything is stated, the gaps are enough; a tile names its period.
      const open = await page.locator(".item:is(.not-shown, .silent)").count();
      assert.equal(await page.locator(".nine-part").first().isVisible(), open > 5);
      await page.getByText(/^in the last 10 s/).waitFor();
      await axeClean(page);
      await fits(page, 360);
      await close();
    });
  });
}

describe("a user who opens the overview", () => {
  let tested: ConsoleTested;
  before(async () => {
    tested = await openConsole("examples/parcel-desk.md");
  });
  after(() => tested?.close());

  test("gets a first request that works, and sees it in the counts at once", async () => {
    const { page, close } = await tested.open("/");
    const curl = await page.getByRole("group", { name: /A request that works now/ }).innerText();
    const headers = [...curl.matchAll(/-H '([^:]+): ([^']+)'/g)].map(
      ([, name, value]) => [name as string, value as string] as [string, string],
    );
    const address = /(http:\S+)$/.exec(curl)?.[1] as string;
    const answered = await fetch(address, { headers });
    assert.equal(answered.status, 200);
    await page.getByText(/ · 1 request in the last minute$/).waitFor();
    await close();
  });

  test("gets a link from a gap to its line", async () => {
    const { page, close } = await tested.open("/");
    await page.locator(".gaps").getByRole("link", { name: "line 320" }).click();
    await page.waitForURL(/\/document#L320$/);
    await page.locator(".is-target", { hasText: "Notifications" }).waitFor();
    await close();
  });
});
