/**
 * The site's navigation, read from the index of the documentation (`docs/README.md`): one list for
 * readers of the Markdown and of the site.
 */
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import markdownIt from "markdown-it";
import { edition } from "./edition.ts";
import { pageOf } from "./pages.ts";

/** An item of the generator's list next to a page. */
export interface NavigationItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: NavigationItem[];
}

const index = "docs/README.md";

/**
 * The sections of the index with their pages; a line that ends in a colon groups the list after it.
 */
export function navigation(): NavigationItem[] {
  const sections: { text: string; items: NavigationItem[] }[] = [];
  let items: NavigationItem[] = [];
  const tokens = markdownIt().parse(readFileSync(join(edition.root, index), "utf8"), {});
  for (const [at, token] of tokens.entries()) {
    if (token.type !== "inline") continue;
    const opener = tokens[at - 1];
    if (opener?.type === "heading_open" && opener.tag === "h2") {
      items = [];
      sections.push({ text: token.content, items });
    } else if (/^[^[]*:$/.test(token.content)) {
      items = [];
      sections.at(-1)?.items.push({ text: token.content.slice(0, -1), items });
    } else {
      const link = token.children?.find((child) => child.type === "link_open")?.attrGet("href");
      const text = /^\[([^\]]+)\]/.exec(token.content)?.[1];
      if (typeof link === "string" && text !== undefined && opener?.type === "paragraph_open")
        items.push({ text, link: linkOf(link) });
    }
  }
  return sections.filter((section) => section.items.length > 0);
}

/**
 * The navigation next to the diagnostics, by the path that it belongs to: all parts, and the codes
 * of one. A list of all codes on each of their pages would be most of the site's bytes.
 */
export function diagnosticsNavigation(): Record<string, NavigationItem[]> {
  const codes = globSync("*/**/*.md", { cwd: join(edition.root, "docs", "diagnostics") })
    .map((path) => path.replace(/\.md$/, ""))
    .toSorted();
  const parts = Map.groupBy(codes, (code) => code.slice(0, code.indexOf("/")));
  const folder = "/docs/diagnostics/";
  const listOf = (open?: string): NavigationItem[] => [
    { text: "Documentation", link: "/docs/" },
    { text: "All diagnostics", link: folder },
    ...[...parts].map(([part, ofPart]) =>
      part === open
        ? {
            text: part,
            items: ofPart.map((code) => ({ text: code.slice(part.length + 1), link: folder + code })),
          }
        : { text: part, link: folder + ofPart[0] },
    ),
  ];
  return Object.fromEntries([
    ...[...parts.keys()].map((part) => [`${folder}${part}/`, listOf(part)] as const),
    [folder, listOf()] as const,
  ]);
}

function linkOf(target: string): string {
  const [file = "", anchor] = target.split("#");
  const page = pageOf(posix.join(posix.dirname(index), file)).replace(/(?:index)?\.md$/, "");
  return `/${page}${anchor === undefined ? "" : `#${anchor}`}`;
}
