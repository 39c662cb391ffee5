/**
 * Where the console is: the browser's address, as state. All that somebody may want to share or to come back to (filters, order, the
 * chosen record) stands in it and nowhere else. Which page that is, is `router.ts`.
 */
import { derived, state } from "../state.ts";

const here = state(new URL(location.href));

export const path = derived(here, (url) => url.pathname);
export const hash = derived(here, (url) => url.hash);
/** The query as it stands, `?status=409`, for what depends on all of it. */
export const query = derived(here, (url) => url.search);

addEventListener("popstate", () => {
  here.value = new URL(location.href);
});

/** Goes to an address of the console: `/requests?status=409`. */
export function navigate(to: string, { replaces = false }: { readonly replaces?: boolean } = {}): void {
  const target = new URL(to, here.value);
  // Who looks at a data space stays in it, unless the address says another, or with nothing (`space=`) the standard one.
  const space = here.value.searchParams.get("space");
  if (target.searchParams.get("space") === "") target.searchParams.delete("space");
  else if (space !== null && !target.searchParams.has("space")) target.searchParams.set("space", space);
  if (target.href === here.value.href) return;
  if (replaces) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
  here.value = target;
}

/** What the address says of a name, `undefined` where nothing. */
export function parameter(name: string): string | undefined {
  return here.value.searchParams.get(name) ?? undefined;
}

/** All that the address says of a name that may stand in it more than once. */
export function parametersOf(name: string): readonly string[] {
  return here.value.searchParams.getAll(name);
}

/** What is said of a name: one text, some, or nothing any more. */
export type Said = string | readonly string[] | undefined;

/** The address of this page with some names said anew: for links. */
export function addressWith(changes: Readonly<Record<string, Said>>, of: string = path.value): string {
  const { searchParams } = new URL(here.value);
  for (const [name, said] of Object.entries(changes)) {
    searchParams.delete(name);
    const texts = said === undefined || said === "" ? [] : typeof said === "string" ? [said] : said;
    for (const text of texts) searchParams.append(name, text);
  }
  const rest = searchParams.toString();
  return rest === "" ? of : `${of}?${rest}`;
}

/** Says some names of the address anew. Without `replaces` the way back leads to what it was. */
export function say(
  changes: Readonly<Record<string, Said>>,
  options: { readonly replaces?: boolean } = {},
): void {
  navigate(addressWith(changes), options);
}
