/**
 * The playground in a real browser without a network: a document is edited, a request is sent,
 * scenarios run, and a link contains the document. The engine runs on SQLite for WebAssembly there,
 * so each example's scenarios must pass as they do here.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser } from "../browser/browser.ts";
import { eventually } from "../eventually.ts";
import { ownFolder } from "../own-folder.ts";
import { pathOf } from "../repository/repository.ts";
import { type ServedFolder, serveFolder } from "../site/serve-folder.ts";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const folder = ownFolder("playground");
let site: ServedFolder;
let browser: Browser;
before(async () => {
  await build({
    configFile: pathOf("playground/vite.config.ts"),
    build: { outDir: folder, emptyOutDir: true },
  });
  [site, browser] = await Promise.all([serveFolder(folder), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await site?.close();
});

test("a document is edited: a mistake is reported with its line, and its correction removes it", async () => {
  const { page, complaints, close } = await open();
  const panel = page.locator("#panel");
  await panel.getByText("No mistake.").waitFor();
  const line = page.locator(".cm-line", { hasText: "| pages | integer |" });
  await line.click();
  await page.keyboard.press("End");
  for (let at = 0; at < "integer | 1..10000 |".length; at += 1) await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("x");
  await panel.getByText('Unknown type or resource "xinteger".').waitFor();
  await panel
    .getByRole("button", { name: /^line \d+$/ })
    .first()
    .waitFor();
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+z");
  await panel.getByText("No mistake.").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("completion proposes what is allowed at the cursor", async () => {
  const { page, close } = await open();
  await page.locator("#panel").getByText("No mistake.").waitFor();
  await page.locator(".cm-line", { hasText: "- Does: list Book" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Al");
  await page.locator(".cm-tooltip-autocomplete").getByText("Allowed").first().waitFor();
  await close();
});

test("the service answers requests, keeps records, and rejects what the document rejects", async () => {
  const { page, complaints, close } = await open();
  await page.getByRole("tab", { name: /Requests/ }).click();
  const response = page.getByLabel("Response");
  const send = async (endpoint: string, body: string) => {
    await page.getByRole("button", { name: endpoint, exact: true }).click();
    await page.getByLabel("Body").fill(body);
    await page.getByRole("button", { name: "Send" }).click();
  };
  await send("POST /books", `{"title": "Emma", "pages": 474}`);
  await eventually(async () => assert.match(await response.innerText(), /HTTP\/1\.1 201[\s\S]*"wanted"/));
  await send("POST /books", `{"pages": 0}`);
  await eventually(async () => assert.match(await response.innerText(), /HTTP\/1\.1 422/));
  await send("GET /books", "");
  await eventually(async () => assert.match(await response.innerText(), /HTTP\/1\.1 200[\s\S]*"Emma"/));
  assert.deepEqual(complaints, []);
  await close();
});

test("the scenarios of each example pass", async () => {
  const { page, complaints, close } = await open();
  const select = page.getByLabel("Example");
  const panel = page.locator("#panel");
  for (const name of ["Reading list", "Helpdesk", "Parcel desk", "Seat booking"]) {
    await select.selectOption(name);
    await page.getByRole("tab", { name: /Scenarios/ }).click();
    await eventually(async () => {
      await panel.getByRole("button", { name: /^Run/ }).click();
      assert.match(await panel.getByRole("status").innerText(), /^(\d+) of \1 passed\.$/, name);
    });
  }
  await page.getByRole("tab", { name: /States/ }).click();
  assert.ok((await page.locator(".picture svg").count()) > 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("after it has loaded, it works without a network: an edit, a request, a scenario and the diagram", async () => {
  const { page, complaints, close } = await open();
  const panel = page.locator("#panel");
  await panel.getByText("No mistake.").waitFor();
  await page.context().setOffline(true);
  await page.locator(".cm-line", { hasText: "| pages | integer |" }).click();
  await page.keyboard.press("End");
  for (let at = 0; at < " |".length; at += 1) await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("0");
  await page.getByRole("tab", { name: /Problems/ }).click();
  await panel.getByText("No mistake.").waitFor();
  await page.getByRole("tab", { name: /Requests/ }).click();
  await page.getByRole("button", { name: "POST /books", exact: true }).click();
  await page.getByLabel("Body").fill(`{"title": "Emma", "pages": 47400}`);
  await page.getByRole("button", { name: "Send" }).click();
  await eventually(async () =>
    assert.match(await page.getByLabel("Response").innerText(), /HTTP\/1\.1 201[\s\S]*47400/),
  );
  await page.getByRole("tab", { name: /Scenarios/ }).click();
  await panel.getByRole("button", { name: /^Run/ }).click();
  await panel.getByText("1 of 1 passed.").waitFor();
  await page.getByRole("tab", { name: /States/ }).click();
  await page.locator(".picture svg").first().waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("a link carries the document, and no request does", async () => {
  const { page, complaints, close } = await open();
  await page.getByLabel("Example").selectOption("Only gaps");
  await page.locator("#panel .gap").first().waitFor();
  const text = await page.locator(".cm-line").first().innerText();
  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.waitForURL(/#document=/);
  const again = await open({}, page.url());
  await again.page.locator("#panel .gap").first().waitFor();
  assert.equal(await again.page.locator(".cm-line").first().innerText(), text);
  assert.deepEqual([...complaints, ...again.complaints], []);
  await Promise.all([close(), again.close()]);
});

test("a link that was cut off says so, and a document that is too large for a link does", async () => {
  const { page, complaints, close } = await open({}, `${site.address("index.html")}#document=jZLBbtswDIbve`);
  await page.getByText("The link is damaged or was cut off.").waitFor();
  await page.locator("#panel").getByText("No mistake.").waitFor();
  // Digits without a pattern, which deflate can't make much shorter.
  let seed = 1;
  const digits = Array.from({ length: 100_000 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 10;
  }).join("");
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(`\n\n${digits}\n`);
  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.getByText("too large for a link").waitFor();
  assert.match(page.url(), /#document=jZLBbtswDIbve$/);
  assert.deepEqual(complaints, []);
  await close();
});

for (const colorScheme of ["light", "dark"] as const)
  test(`axe finds no violation on a phone in ${colorScheme}, and nothing is wider than the screen`, async () => {
    const { page, complaints, close } = await open({ colorScheme, viewport: { width: 390, height: 844 } });
    await page.locator("#panel").getByText("No mistake.").waitFor();
    for (const tab of ["Problems", "Requests", "Scenarios", "States"]) {
      await page.getByRole("tab", { name: new RegExp(tab) }).click();
      const violations = await page.evaluate<readonly unknown[]>(
        `axe.run({ preload: false }).then(({ violations }) =>
          violations.map(({ id, nodes }) => id + ": " + nodes[0].html.slice(0, 200) + " " + nodes[0].failureSummary))`,
      );
      assert.deepEqual(violations, [], tab);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert.ok(width <= 390, `${tab}: ${width}`);
    }
    const [arrowhead, text] = await page.evaluate<[string, string]>(
      `[".head", ".label"].map((one) => getComputedStyle(document.querySelector(".picture " + one)).fill)`,
    );
    assert.equal(arrowhead, text, "arrowheads have a colour of the theme");
    assert.deepEqual(complaints, []);
    await close();
  });

/**
 * Maximum sizes with gzip, as hosts compress them, in bytes with a margin: by the start of the
 * file's name.
 */
const bytesMax: Readonly<Record<string, number>> = {
  // The page with CodeMirror.
  index: 245_000,
  worker: 2_000,
  // The compiler, the language server's functions and the engine.
  handlers: 765_000,
  sqlite3: 420_000,
  // Graphviz, loaded for documents with states.
  viz: 510_000,
};

test("no file has grown beyond its bound", () => {
  const sizes = site.files
    .filter((path) => /\.(js|wasm)$/.test(path))
    .map((path) => {
      const name = /^assets\/(\w+)/.exec(path)?.[1] ?? path;
      return { name, bytes: gzipSync(readFileSync(join(folder, path))).byteLength };
    });
  const wrong = sizes.filter(({ name, bytes }) => bytes > (bytesMax[name] ?? 30_000));
  assert.deepEqual(wrong, [], JSON.stringify(sizes));
});

/**
 * The playground, in a browser that can reach only the folder; it records errors and any other
 * request.
 */
async function open(
  options: BrowserContextOptions = {},
  address = site.address("index.html"),
): Promise<{ page: Page; complaints: string[]; close(): Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const complaints: string[] = [];
  await context.route(
    (url) => !url.href.startsWith(site.address("")),
    (route) => {
      complaints.push(`requested ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.addInitScript({ path: axe });
  await page.goto(address);
  return { page, complaints, close: () => context.close() };
}
