/** Examination of every page of the documentation site, as `npm run site` builds it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathOf } from "../repository/repository.ts";
import { serveFolder } from "../site/serve-folder.ts";
import type { Examination } from "./examination.ts";
import { forms, openWindow } from "./examine.ts";
import { brokenLinks } from "./links.ts";

export async function examineSite({ browser, includes, examine, report }: Examination): Promise<void> {
  const built = process.env["SITE_FOLDER"];
  const folder = built ?? mkdtempSync(join(tmpdir(), "ninefold-pages-"));
  try {
    if (built === undefined)
      execFileSync(process.execPath, [pathOf("site/build.ts"), "--out", folder], { stdio: "ignore" });
    const site = await serveFolder(folder);
    for (const link of brokenLinks(site.files, site.textOf)) report(`site/${link} is broken`);
    const pages = site.files.filter((path) => path.endsWith(".html") && includes(`site/${path}`)).toSorted();
    for (const form of forms) {
      const window = await openWindow(browser, form, site.address(""));
      for (const path of pages) {
        await window.page.goto(site.address(path));
        await examine(window, `site/${path.replace(/\.html$/, "")}`, form);
      }
      await window.close();
    }
    await site.close();
  } finally {
    if (built === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
