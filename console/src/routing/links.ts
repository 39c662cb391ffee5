/**
 * Links of the console are ordinary ones, so that they can be copied and opened in another tab. A plain click on one
 * stays in the page. Pages that the server renders (documentation, exports) are loaded as usual.
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
  // To a place in this page the browser goes by itself, and takes the focus along.
  if (link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  navigate(link.href);
}

/**
 * The address of a page in the data space that is looked at: `linkTo(["data", "Parcel", "p/1"])` → `/data/Parcel/p%2F1`,
 * `linkTo(["requests"], { status: "409" })`.
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

/** The address of a line of the document. */
export function linkToLine(line: number): string {
  return `${linkTo(["document"])}#L${line}`;
}
