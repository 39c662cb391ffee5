/**
 * A site of two versions: every page links to the same page of the other one, or to its first page,
 * and an earlier one has a notice.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { editionVariable } from "../../site/edition.ts";
import { openBrowser } from "../browser/browser.ts";
import { ownFolder } from "../own-folder.ts";
import { pathOf } from "../repository/repository.ts";
import { type ServedFolder, serveFolder } from "./serve-folder.ts";

const folder = ownFolder("site-versions");
const versions = [
  { name: "0.3.0", folder: "" },
  { name: "0.2.0", folder: "0.2.0/" },
];

/**
 * A small repository: an index, a page that both versions have, and one that only the newer one
 * has.
 */
function writeRoot(version: string, pages: readonly string[]): string {
  const root = join(folder, `root-${version}`);
  const files = {
    "README.md": "# Ninefold\n\n[All pages](docs/README.md)\n",
    "CHANGELOG.md": "# Changelog\n",
    "CONTRIBUTING.md": "# Contributing\n",
    "docs/README.md": `# Documentation\n\n## Guides\n\n${pages.map((name) => `- [${name}](${name}.md)\n`).join("")}`,
    "docs/tutorial.md": "# Tutorial\n",
    "docs/notation.md": "# Notation\n",
    "docs/diagnostics/README.md": "# Diagnostics\n",
    ...Object.fromEntries(pages.map((name) => [`docs/${name}.md`, `# ${name} of ${version}\n`])),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

let site: ServedFolder;
let browser: Browser;
before(async () => {
  for (const [at, pages] of [["both", "newer"], ["both"]].entries()) {
    const { name = "", folder: own = "" } = versions[at] ?? {};
    const edition = { root: writeRoot(name, pages), version: name, versions };
    await promisify(execFile)(
      process.execPath,
      [pathOf("site/build-version.ts"), join(folder, "site", "help", own), `/help/${own}`],
      { env: { ...process.env, [editionVariable]: JSON.stringify(edition) }, maxBuffer: 1 << 24 },
    );
  }
  [site, browser] = await Promise.all([serveFolder(join(folder, "site")), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await site?.close();
});

test("a page leads to itself in the other version, and back by the notice", async () => {
  const page = await browser.newPage();
  await page.goto(site.address("help/docs/both.html"));
  await page.getByRole("heading", { name: "both of 0.3.0" }).waitFor();
  assert.equal(await page.getByText("This page is of version").count(), 0);
  await page.getByRole("button", { name: "0.3.0" }).click();
  await page.getByRole("link", { name: "Version 0.2.0" }).click();
  await page.getByRole("heading", { name: "both of 0.2.0" }).waitFor();
  assert.equal(page.url(), site.address("help/0.2.0/docs/both.html"));
  assert.equal(await page.getByRole("link", { name: "Playground" }).count(), 0);
  await page.getByText("This page is of version 0.2.0.").waitFor();
  await page.getByRole("link", { name: "Read it in version 0.3.0" }).click();
  await page.getByRole("heading", { name: "both of 0.3.0" }).waitFor();
  await page.close();
});

test("a page that the other version lacks leads to its first page", async () => {
  const page = await browser.newPage();
  await page.goto(site.address("help/docs/newer.html"));
  await page.getByRole("button", { name: "0.3.0" }).click();
  await page.getByRole("link", { name: "Version 0.2.0" }).click();
  await page.waitForURL(site.address("help/0.2.0/"));
  await page.close();
});

test("on a phone the menu has the versions too", async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true });
  const page = await context.newPage();
  await page.goto(site.address("help/docs/both.html"));
  await page.locator(".VPNavBarHamburger").click();
  await page.getByRole("button", { name: "0.3.0" }).last().click();
  await page.getByRole("link", { name: "Version 0.2.0" }).last().click();
  await page.getByRole("heading", { name: "both of 0.2.0" }).waitFor();
  await context.close();
});
