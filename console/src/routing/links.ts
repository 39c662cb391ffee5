/**
 * Links of the console are ordinary links, so that users can copy them and open them in another
 * tab. A plain click stays in the page. Pages that the server renders (documentation, exports) are
 * loaded as usual.
 */
import { navigate, parameter } from "./address.ts";

const servedElsewhere = /^\/(docs|schemas|api)\/|^\/[a-z]+\.(json|yaml)$/;

/** Handles every click: follows a link of the console without a page load. */
export function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || link.target !== "" || link.hasAttribute("download")) return;
  if (link.origin !== location.origin || servedElsewhere.test(link.pathname)) return;
  // The browser itself follows an anchor within the page, and moves the focus.
  if (link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  navigate(link.href);
}

/**
 * The URL of a page in the selected data space: `linkTo(["data", "Parcel", "p/1"])` →
 * `/data/Parcel/p%2F1`, `linkTo(["requests"], { status: "409" })`.
 */
export function linkTo(
  pieces: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const [name, text] of Object.entries({ space: parameter("space"), ...query }))
    if (text !== undefined && text !== "") search.set(name, text);
  const rest = search.toString();
  return `/${pieces.map(encodeURIComponent).join("/")}${rest === "" ? "" : `?${rest}`}`;
}

/** The URL of a line of the document. */
export function linkToLine(line: number): string {
  return `${linkTo(["document"])}#L${line}`;
}
