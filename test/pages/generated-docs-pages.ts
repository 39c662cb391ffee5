/** Examination of every page of the documentation that is generated for documents. */
import { examples, pagesOf, siteOfExample, writeSite } from "../docs-site/site.ts";
import type { Examination } from "./examination.ts";
import { forms, openWindow } from "./examine.ts";
import { brokenLinks } from "./links.ts";

export async function examineGeneratedDocs(examination: Examination): Promise<void> {
  const { browser, includes, examine, report } = examination;
  for (const document of examples) {
    const files = await siteOfExample(document);
    const name = `docs/${document.replace(/^examples\/|\.md$/g, "")}`;
    const textOf = (path: string) => String(files.get(path));
    for (const link of brokenLinks([...files.keys()], textOf)) report(`${name}/${link} is broken`);
    const site = writeSite(files);
    const pages = pagesOf(files).filter((page) => includes(`${name}/${page}`));
    for (const form of forms) {
      const window = await openWindow(browser, form, site.address(""));
      for (const page of pages) {
        await window.page.goto(site.address(page));
        await window.page.evaluate(
          `for (const part of document.querySelectorAll("main details")) part.open = true`,
        );
        await examine(window, `${name}/${page.replace(/\.html$/, "")}`, form);
      }
      await window.close();
    }
    site.remove();
  }
}
