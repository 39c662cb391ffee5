/** Links of a folder of HTML pages that lead to a missing page or anchor. */
import { posix } from "node:path";

/**
 * Returns `page: target` for each broken link.
 *
 * @param files the paths of all files in the folder
 * @param textOf the text of a page
 */
export function brokenLinks(files: readonly string[], textOf: (path: string) => string): readonly string[] {
  const known = new Set(files);
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (path: string) => {
    const found =
      anchors.get(path) ?? new Set([...textOf(path).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id ?? ""));
    anchors.set(path, found);
    return found;
  };
  const broken = files
    .filter((path) => path.endsWith(".html"))
    .flatMap((page) =>
      [...textOf(page).matchAll(/<a[^>]*\shref="([^"]+)"/g)].flatMap(([, target = ""]) => {
        if (/^[a-z]+:/.test(target)) return [];
        const [file = "", anchor = ""] = target.split("#");
        const place = posix.resolve("/", posix.dirname(page), file === "" ? posix.basename(page) : file);
        const path = (place === "/" || file.endsWith("/") ? posix.join(place, "index.html") : place).slice(1);
        if (!known.has(path)) return [`${page}: ${target}`];
        const isKnown =
          anchor === "" || !path.endsWith(".html") || anchorsOf(path).has(decodeURIComponent(anchor));
        return isKnown ? [] : [`${page}: ${target}`];
      }),
    );
  return [...new Set(broken)];
}
