/**
 * The built documentation site in a real browser: links, search, sound pages in three forms, and no
 * request to another host.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { posix } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser } from "../browser/browser.ts";
import { eventually } from "../eventually.ts";
import { ownFolder } from "../own-folder.ts";
import { faultsOf, forms, openWindow } from "../pages/examine.ts";
import { brokenLinks } from "../pages/links.ts";
import { pathOf, textOf } from "../repository/repository.ts";
import { type ServedFolder, serveFolder } from "./serve-folder.ts";

const folder = ownFolder("site");
let site: ServedFolder;
let browser: Browser;
before(async () => {
  await promisify(execFile)(process.execPath, [pathOf("site/build.ts"), "--out", folder], {
    maxBuffer: 1 << 24,
  });
  [site, browser] = await Promise.all([serveFolder(folder), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const htmlPages = () => site.files.filter((path) => path.endsWith(".html"));

test("no page loads anything from another host, and each has the policy that enforces it", () => {
  const outside =
    /<(?:script|img|iframe|source|video)[^>]*\ssrc="(?:https?:)?\/\/|<link[^>]*\shref="(?:https?:)?\/\//;
  const wrong = htmlPages().filter((path) => {
    const html = site.textOf(path);
    return outside.test(html) || !html.includes(`http-equiv="Content-Security-Policy"`);
  });
  assert.deepEqual(wrong, []);
  const styles = site.files.filter((path) => path.endsWith(".css"));
  assert.ok(styles.length > 0);
  for (const path of styles)
    assert.doesNotMatch(site.textOf(path), /(?:url\(|@import)\s*["']?(?:https?:)?\/\//);
});

test("each link within the site has its page and its anchor", () => {
  assert.deepEqual(brokenLinks(site.files, site.textOf), []);
});

test("no table has a header cell without a text", () => {
  const wrong = htmlPages().filter((path) => /<th[^>]*>\s*<\/th>/.test(site.textOf(path)));
  assert.deepEqual(wrong, []);
});

test("llms.txt lists the Markdown of the pages, whose links lead to others", () => {
  const text = site.textOf("llms.txt");
  assert.match(text, /^# Ninefold\n\n> /);
  const files = new Set(site.files);
  const linksOf = (path: string) =>
    [...site.textOf(path).matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)].map(([, target = ""]) =>
      posix.join(posix.dirname(path), target),
    );
  const listed = linksOf("llms.txt");
  assert.ok(listed.includes("docs/guides/twin.md"));
  const missing = listed.filter((path) => !files.has(path));
  assert.deepEqual(missing, []);
  for (const path of ["docs/guides/twin.md", "docs/notation.md"])
    assert.deepEqual(
      linksOf(path).filter((target) => target.endsWith(".md") && !files.has(target)),
      [],
    );
});

/**
 * Maximum sizes with gzip, as hosts compress files, in bytes with a margin: of the first page with
 * the pages that it prefetches, and of the search with its index.
 */
const bytesMax = { firstPage: 400_000, search: 300_000 };

test("the first page is small, and the index of the search is loaded with the search", async () => {
  const { page, close } = await open();
  const loaded = new Set<string>();
  page.on("response", (response) => loaded.add(new URL(response.url()).pathname.slice(1)));
  const bytesOf = (paths: Iterable<string>) =>
    [...paths].reduce((sum, path) => sum + gzipSync(site.textOf(path)).byteLength, 0);
  const isText = (path: string) => site.files.includes(path) && !path.endsWith(".png");
  await page.goto(site.address("index.html"));
  await page.waitForLoadState("networkidle");
  const first = [...loaded].filter(isText);
  assert.ok(first.length > 2, String(first));
  const firstBytes = bytesOf(first);
  assert.ok(firstBytes <= bytesMax.firstPage, `${firstBytes}: ${first}`);
  await page.getByRole("button", { name: "Search" }).first().click();
  await page.getByRole("searchbox").fill("webhook");
  await page.getByRole("option").first().waitFor();
  const search = [...loaded].filter((path) => /search/i.test(path) && !first.includes(path));
  assert.ok(search.length > 1, String(search));
  const searchBytes = bytesOf(search);
  assert.ok(searchBytes <= bytesMax.search, `${searchBytes}: ${search}`);
  await close();
});

test("search finds a page without any other host, and leads to it", async () => {
  const { page, complaints, close } = await open();
  await page.goto(site.address("index.html"));
  await page.getByRole("button", { name: "Search" }).first().click();
  await page.getByRole("searchbox").fill("webhook signature");
  const results = page.getByRole("option");
  await eventually(async () => assert.ok((await results.count()) > 2));
  await results.first().click();
  await page.waitForURL((url) => url.pathname !== "/index.html");
  await eventually(async () => assert.match(await page.locator("main").innerText(), /[Ss]ignature/));
  assert.deepEqual(complaints, []);
  await close();
});

test("search leads from a newcomer's words to the guide of the task", async () => {
  const { page, close } = await open();
  await page.goto(site.address("index.html"));
  await page.getByRole("button", { name: "Search" }).first().click();
  for (const [words, guide] of [
    ["why was my request refused", "guides/refused-requests"],
    ["sort a list", "guides/lists"],
    ["sign in by e-mail", "guides/accounts"],
    ["rename a field", "guides/changing-a-service"],
    ["behind a proxy", "guides/production"],
    ["start a twin", "guides/twin"],
    ["deploy with docker", "guides/deployment"],
  ] as const) {
    await page.getByRole("searchbox").fill(words);
    // The first results that a screen shows.
    await eventually(async () => {
      const links = await page.getByRole("option").locator("a").evaluateAll(linksOf);
      assert.ok(
        links.slice(0, 5).some((link) => link.includes(guide)),
        `${words}: ${links.slice(0, 5)}`,
      );
    });
  }
  await close();
});

/** The targets of the search's results. */
const linksOf = (links: readonly { readonly href?: string }[]): readonly string[] =>
  links.map(({ href }) => href ?? "");

test("the navigation leads from the first page to a quickstart, and the version is shown", async () => {
  const { page, complaints, close } = await open();
  await page.goto(site.address(""));
  const { version } = JSON.parse(textOf("package.json"));
  assert.ok(await page.getByRole("button", { name: version }).isVisible());
  await page.getByRole("link", { name: "Quickstart: I need a backend" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Quickstart: I need a backend" }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("the playground is part of the site: the navigation leads to it, and its scenario passes", async () => {
  const { page, complaints, close } = await open();
  await page.goto(site.address("docs/index.html"));
  await page.getByRole("link", { name: "Playground" }).first().click();
  await page.getByRole("tab", { name: /Scenarios/ }).click();
  await page.getByRole("button", { name: "Run the scenario" }).click();
  await page.getByText("1 of 1 passed.").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("on a phone the menu opens", async () => {
  const { page, complaints, close } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await page.goto(site.address("index.html"));
  await page.getByText("Menu", { exact: true }).click();
  await page.getByRole("link", { name: "The notation" }).first().click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("the title of a file's page breaks after its slashes", () => {
  assert.match(site.textOf("deploy/Caddyfile.instances.html"), /deploy\/<wbr>Caddyfile\.instances/);
  assert.match(site.textOf("docs/diagnostics/document/silent.html"), /document\/<wbr>silent/);
});

/** One page of each kind. */
const looked = [
  "index.html",
  "docs/index.html",
  "docs/tutorial.html",
  "docs/compared.html",
  "docs/guides/production.html",
  "docs/diagnostics/document/silent.html",
  "examples/parcel-desk.html",
  "deploy/Dockerfile.html",
] as const;

for (const form of forms)
  test(`the examination finds no fault on ${form.name}`, async () => {
    const { page, takeComplaints, close } = await openWindow(browser, form, site.address(""));
    for (const path of looked) {
      await page.goto(site.address(path));
      assert.deepEqual([...takeComplaints(), ...(await faultsOf(page, form))], [], path);
    }
    await close();
  });

/** A page that records errors, and each request that isn't for the site. */
async function open(
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[]; close(): Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  // On a busy machine, the playground takes longer than 30 seconds to load its compiler.
  context.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  await context.route(
    (url) => !url.href.startsWith(site.address("")) && url.protocol !== "data:",
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
  return { page, complaints, close: () => context.close() };
}
