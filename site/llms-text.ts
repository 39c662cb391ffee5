/**
 * `llms.txt` of the site, as llmstxt.org describes it: the index of the documentation, with links
 * to the Markdown of each page.
 */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { edition } from "./edition.ts";

const index = "docs/README.md";

/** The index, with its links relative to the site's folder. */
export function llmsText(): string {
  const text = readFileSync(join(edition.root, index), "utf8");
  const sections = text.slice(text.indexOf("\n## "));
  const linked = sections.replaceAll(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, target: string) => {
    const path = posix.join(posix.dirname(index), target);
    return `](${path})`;
  });
  return `# Ninefold\n\n> The specification is the service: a nine-part interface specification in Markdown, checked, served\n> and tested. The card (docs/card.md) shows the notation on one page.\n${linked}`;
}
