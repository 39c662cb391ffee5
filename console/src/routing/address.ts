/**
 * The browser's URL as state. Everything that a user may want to share or return to (filters,
 * order, the selected record) is in it and nowhere else. `router.ts` finds its page.
 */
import { derived, state } from "../state.ts";

const here = state(new URL(location.href));

export const path = derived(here, (url) => url.pathname);
export const hash = derived(here, (url) => url.hash);
/** The whole query, `?status=409`. */
export const query = derived(here, (url) => url.search);

addEventListener("popstate", () => {
  here.value = new URL(location.href);
});

/** Navigates to a URL of the console: `/requests?status=409`. */
export function navigate(to: string, { replaces = false }: { readonly replaces?: boolean } = {}): void {
  const target = new URL(to, here.value);
  // Navigation stays in the data space, unless the URL names another; an empty `space=` selects the
  // default.
  const space = here.value.searchParams.get("space");
  if (target.searchParams.get("space") === "") target.searchParams.delete("space");
  else if (space !== null && !target.searchParams.has("space")) target.searchParams.set("space", space);
  if (target.href === here.value.href) return;
  if (replaces) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
  here.value = target;
}

/** The value of a URL parameter; undefined if it is absent. */
export function parameter(name: string): string | undefined {
  return here.value.searchParams.get(name) ?? undefined;
}

/** All values of a URL parameter that may occur more than once. */
export function parametersOf(name: string): readonly string[] {
  return here.value.searchParams.getAll(name);
}

/** A new value of a parameter: one text, several, or none. */
export type ParameterValue = string | readonly string[] | undefined;

/** The URL of this page with some parameters changed, for links. */
export function addressWith(
  changes: Readonly<Record<string, ParameterValue>>,
  of: string = path.value,
): string {
  const { searchParams } = new URL(here.value);
  for (const [name, value] of Object.entries(changes)) {
    searchParams.delete(name);
    const texts = value === undefined || value === "" ? [] : typeof value === "string" ? [value] : value;
    for (const text of texts) searchParams.append(name, text);
  }
  const rest = searchParams.toString();
  return rest === "" ? of : `${of}?${rest}`;
}

/**
 * Changes parameters of the URL. Unless `replaces` is set, the back button restores the previous
 * one.
 */
export function setParameters(
  changes: Readonly<Record<string, ParameterValue>>,
  options: { readonly replaces?: boolean } = {},
): void {
  navigate(addressWith(changes), options);
}
