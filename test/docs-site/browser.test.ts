/**
 * The sites in a real browser, opened from a disk: accessibility, phone, search, keyboard and
 * print.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { openBrowser } from "../browser/browser.ts";
import { faultsOf, forms, openWindow } from "../pages/examine.ts";
import { examples, type Files, pagesOf, type SiteFolder, siteOfExample, writeSite } from "./site.ts";

interface BrowserWorld {
  readonly document: {
    readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number };
  };
}

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

/** A page that reports policy violations, errors, and any request outside the site's folder. */
async function open(
  site: SiteFolder,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[]; close(): Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(site.address("")) && !url.startsWith("data:,")) complaints.push(`requested ${url}`);
  });
  return { page, complaints, close: () => context.close() };
}

/** The maximum size of a page that axe checks in a few seconds. */
const bytesMax = 200_000;

/**
 * One page of each kind, and the resource page with the most elements: others, and longer ones,
 * have the same elements.
 */
function reporting(files: Files): readonly string[] {
  const bytes = (page: string) => (files.get(page) as string).length;
  const ofResources = pagesOf(files).filter((page) => page.startsWith("resource-"));
  const [largest] = ofResources
    .filter((page) => bytes(page) <= bytesMax)
    .toSorted((a, b) => bytes(b) - bytes(a));
  return pagesOf(files).filter((page) => !ofResources.includes(page) || page === largest);
}

for (const path of examples) {
  describe(`the site of ${path} in a browser:`, () => {
    let site: SiteFolder;
    before(async () => {
      site = writeSite(await siteOfExample(path));
    });
    after(() => site?.remove());

    // A long document has the same colours as a short one, and checking each element takes a while.
    // A long document has the same colours as a short one, and checking each element takes a while.
    for (const form of forms.filter(
      ({ name }) => name === "desktop" || (name === "dark" && !path.includes("twins")),
    )) {
      test(`the examination finds no fault on ${form.name}, and the content security policy reports nothing`, async () => {
        const { page, takeComplaints, close } = await openWindow(browser, form, site.address(""));
        for (const name of reporting(site.files)) {
          await page.goto(site.address(name));
          await page.evaluate(
            `for (const part of document.querySelectorAll("main details")) part.open = true`,
          );
          assert.deepEqual([...takeComplaints(), ...(await faultsOf(page, form))], [], name);
        }
        await close();
      });
    }

    test("on a phone of 360 pixels no page goes beyond the screen, with everything open", async () => {
      const { page, complaints, close } = await open(site, { viewport: { width: 360, height: 740 } });
      for (const name of pagesOf(site.files)) {
        await page.goto(site.address(name));
        await page.evaluate(`for (const one of document.querySelectorAll("main details")) one.open = true`);
        const widths = await page.evaluate(() => {
          const { documentElement } = (globalThis as unknown as BrowserWorld).document;
          return [documentElement.scrollWidth, documentElement.clientWidth];
        });
        assert.deepEqual(widths, [360, 360], name);
        const cut: readonly string[] = await page.evaluate(`
          [...document.querySelectorAll("main *")]
            .filter((one) => one.getBoundingClientRect().right > 361 && !one.closest(".picture, .code, .wide, .prose pre, .hidden-words"))
            .map((one) => one.outerHTML.slice(0, 120))`);
        assert.deepEqual(cut, [], name);
      }
      assert.deepEqual(complaints, []);
      await close();
    });
  });
}

describe("a reader of the courier's site", () => {
  let site: SiteFolder;
  before(async () => {
    site = writeSite(await siteOfExample("examples/parcel-desk.md"));
  });
  after(() => site?.remove());

  test("finds a page by the search, by keyboard alone", async () => {
    const { page, complaints, close } = await open(site);
    const found = async (words: string): Promise<string> => {
      await page.goto(site.address("limits.html"));
      await page.keyboard.press("/");
      await page.keyboard.type(words);
      const first = page.locator('[role="option"][aria-selected="true"]');
      await first.waitFor();
      await eventually(async () => assert.equal(await page.locator("dialog input").inputValue(), words));
      await page.keyboard.press("Enter");
      await page.waitForURL(/#/);
      return page.url().split("/").at(-1) as string;
    };
    assert.equal(await found("wrong_state"), "errors.html#error-wrong_state");
    assert.equal(await found("in transit"), "resource-Parcel.html#Parcel.is.in_transit");
    assert.equal(await found("signed"), "resource-Parcel.html#Parcel.signed_by");
    assert.equal(await found("createParcel"), "resource-Parcel.html#createParcel");
    assert.deepEqual(complaints, []);
    await close();
  });

  test("moves through the results with the arrow keys, is informed if there are none, and closes them with Escape", async () => {
    const { page, close } = await open(site);
    await page.goto(site.address("index.html"));
    await page.keyboard.press("/");
    await page.keyboard.type("parcel");
    const selected = page.locator('[role="option"][aria-selected="true"]');
    await selected.waitFor();
    const first = await selected.getAttribute("id");
    await page.keyboard.press("ArrowDown");
    await eventually(async () => assert.notEqual(await selected.getAttribute("id"), first));
    await eventually(async () =>
      assert.equal(
        await page.locator("dialog input").getAttribute("aria-activedescendant"),
        await selected.getAttribute("id"),
      ),
    );
    await page.keyboard.press("ArrowUp");
    await eventually(async () => assert.equal(await selected.getAttribute("id"), first));
    await page.locator("dialog input").fill("zzzzzz");
    await page.getByText("Nothing found.").waitFor();
    await eventually(async () => assert.deepEqual(await page.locator('[role="option"]').count(), 0));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await eventually(async () => assert.equal(await page.locator("dialog").isVisible(), false));
    await close();
  });

  test("reaches the link that skips the contents first by keyboard, with a visible focus", async () => {
    const { page, close } = await open(site);
    await page.goto(site.address("resource-Parcel.html"));
    await page.keyboard.press("Tab");
    const skip = page.locator(".skip");
    await eventually(async () =>
      assert.equal(await skip.evaluate((element) => element === element.ownerDocument.activeElement), true),
    );
    await eventually(async () => assert.ok(((await skip.boundingBox())?.y ?? -1) >= 0));
    await page.keyboard.press("Enter");
    await eventually(async () => assert.equal(await page.evaluate(`document.activeElement.id`), "main"));
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(
      `getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement).outlineWidth`,
    );
    assert.equal(outline, "solid2px");
    await close();
  });

  test("chooses a language once, for all examples and pages, by click or arrow", async () => {
    const { page, close } = await open(site);
    await page.goto(site.address("resource-Parcel.html"));
    await page.locator('#createParcel [role="tab"]', { hasText: "curl" }).focus();
    await page.keyboard.press("ArrowRight");
    const inTypescript = () =>
      page.evaluate(
        `[...document.querySelectorAll('.choice[data-choice="language"]')].every((one) => one.querySelector('[aria-selected="true"]').textContent === "TypeScript")`,
      );
    assert.equal(await inTypescript(), true);
    await page.goto(site.address("scenarios.html"));
    assert.equal(await inTypescript(), true);
    await close();
  });

  test("chooses light or dark, and keeps it", async () => {
    const { page, close } = await open(site, { colorScheme: "light" });
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.goto(site.address("index.html"));
    await eventually(async () => assert.equal(await ground(), "rgb(255, 255, 255)"));
    await page.getByRole("button", { name: "Dark colours" }).click();
    await eventually(async () => assert.equal(await ground(), "rgb(17, 20, 24)"));
    await page.goto(site.address("errors.html"));
    await eventually(async () => assert.equal(await ground(), "rgb(17, 20, 24)"));
    await close();
  });

  test("is redirected from an anchor that has moved to another page, and into closed sections", async () => {
    const { page, close } = await open(site);
    await page.goto(site.address("index.html#deliverParcel"));
    await page.waitForURL(site.address("resource-Parcel.html#deliverParcel"));
    await page.goto(site.address("resource-Parcel.html#Parcel.address.city"));
    await eventually(async () =>
      assert.equal(await page.locator('[id="Parcel.address.city"]').isVisible(), true),
    );
    await close();
  });

  test("follows a link from the diagram of the states to a transition", async () => {
    const { page, close } = await open(site);
    await page.goto(site.address("resource-Parcel.html"));
    await page
      .locator("svg a", { hasText: /^deliver$/ })
      .first()
      .click();
    assert.equal(page.url(), site.address("resource-Parcel.html#Parcel.do.deliver"));
    await close();
  });

  test("prints closed sections, and no controls", async () => {
    const { page, close } = await open(site);
    await page.goto(site.address("resource-Parcel.html"));
    await page.emulateMedia({ media: "print" });
    await page.evaluate(`dispatchEvent(new Event("beforeprint"))`);
    await eventually(async () =>
      assert.equal(await page.locator('[id="Parcel.address.city"]').isVisible(), true),
    );
    const panels = page.locator("#createParcel .choice-panel");
    for (let at = 0; at < (await panels.count()); at += 1)
      await eventually(async () => assert.equal(await panels.nth(at).isVisible(), true));
    for (const gone of [".frame > .side", ".search-button", ".tabs"])
      await eventually(async () => assert.equal(await page.locator(gone).first().isVisible(), false, gone));
    await close();
  });

  test("reads everything without scripts too", async () => {
    const { page, close } = await open(site, { javaScriptEnabled: false });
    await page.goto(site.address("resource-Parcel.html"));
    await eventually(async () =>
      assert.equal(await page.locator("#createParcel .choice-panel").nth(1).isVisible(), true),
    );
    await eventually(async () => assert.equal(await page.locator(".search-button").isVisible(), false));
    await close();
  });
});
