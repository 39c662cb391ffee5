/**
 * Examines every page of the documentation site, of generated documentation, and of the console, in
 * three forms (`examine.ts`). Prints each fault with its page, and fails if there is one.
 *
 *   npm run examine-pages [-- --only site|docs|console] [--pages PATTERN] [--pictures FOLDER]
 *
 * `--pages` examines only pages whose name matches the pattern. `--pictures` stores a picture of each
 * page in each form.
 */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { openBrowser } from "../browser/browser.ts";
import { examineConsole } from "./console-pages.ts";
import { examineGeneratedDocs } from "./generated-docs-pages.ts";
import type { Examination } from "./examination.ts";
import { type Form, faultsOf } from "./examine.ts";
import { examineSite } from "./site-pages.ts";

const { values: options } = parseArgs({
  options: { only: { type: "string" }, pages: { type: "string" }, pictures: { type: "string" } },
});

/** The maximum height of a picture, in pixels. */
const heightMax = 6_000;

async function photograph(page: Page, name: string, form: Form): Promise<void> {
  if (options.pictures === undefined) return;
  const path = join(options.pictures, `${name.replaceAll(/[^\w./-]+/g, "_")}.${form.name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  const [width, height] = await page.evaluate<[number, number]>(
    "[document.documentElement.clientWidth, document.documentElement.scrollHeight]",
  );
  await page.screenshot({
    path,
    fullPage: true,
    clip: { x: 0, y: 0, width, height: Math.min(height, heightMax) },
  });
}

let examined = 0;
const faults: string[] = [];
const browser = await openBrowser();
const examination: Examination = {
  browser,
  includes: (name) => options.pages === undefined || new RegExp(options.pages).test(name),
  async examine({ page, takeComplaints }, name, form, isExpected = () => false) {
    examined += 1;
    await photograph(page, name, form);
    for (const fault of [...takeComplaints(), ...(await faultsOf(page, form))])
      if (!isExpected(fault)) examination.report(`${name} (${form.name}): ${fault}`);
  },
  report(fault) {
    faults.push(fault);
    process.stdout.write(`${fault}\n`);
  },
};
const subjects = { site: examineSite, docs: examineGeneratedDocs, console: examineConsole };
try {
  for (const [name, examine] of Object.entries(subjects))
    if (options.only === undefined || options.only === name) await examine(examination);
} finally {
  await browser.close();
}
process.stdout.write(`${examined} pages and forms examined, ${faults.length} faults\n`);
if (faults.length > 0) process.exitCode = 1;
