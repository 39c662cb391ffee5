/** Makes links of a packed page absolute that would be dead where the page is read. */
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Address } from "./address.ts";

export interface Place {
  /** The folder of the package, and that of the checkout, which contains all linked files. */
  readonly packed: string;
  readonly checkout: string;
  readonly address: Address;
}

/** Pages that a registry shows without the other files of the package. */
const readAlone: readonly string[] = ["README.md"];

/**
 * @param page its path in the package
 * @returns its text, with links that lead out of the package (of a page that is read alone: all
 * links) leading to the address. Fenced blocks and code stay as they are.
 */
export function absoluteLinks(text: string, page: string, { packed, checkout, address }: Place): string {
  const target = (link: string, isPicture: boolean): string => {
    const [path = "", anchor] = link.split("#", 2);
    if (path === "" || /^[a-z][a-z0-9+.-]*:|^\//i.test(path)) return link;
    const full = join(dirname(page), decodeURI(path));
    if (!readAlone.includes(page) && existsSync(join(packed, full))) return link;
    if (full.startsWith("..") || !existsSync(join(checkout, full)))
      throw new Error(`${page} links ${link}, which isn't there.`);
    const shown = address.shown(full.replace(/\/$/, ""), statSync(join(checkout, full)).isDirectory());
    return isPicture ? address.raw(full) : anchor === undefined ? shown : `${shown}#${anchor}`;
  };
  // Code comes first, so that nothing in it is read as a link: a fenced block, or text between
  // backticks.
  const form =
    /^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1|(`+)(?!`)[^`][\s\S]*?(?<!`)\2(?!`)|(!?)\[((?:!\[[^\]]*\]\([^)]*\)|`[^`]*`|[^[\]])*)\]\(([^()\s]+)\)/gm;
  return text.replace(form, (whole, fence, code, mark, words, link) => {
    if (fence !== undefined || code !== undefined) return whole;
    const inside = mark === "!" ? words : absoluteLinks(words, page, { packed, checkout, address });
    return `${mark}[${inside}](${target(link, mark === "!")})`;
  });
}
