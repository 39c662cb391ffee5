/**
 * Stored view of each resource: its columns, filters and order, as the user left them, and the
 * resource that was shown last. The URL has the view, so it can be shared; the browser stores it
 * for the next visit.
 */
import { useLayoutEffect, useRef } from "preact/hooks";
import { addressWith, navigate, parametersOf } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { service } from "../../shell/service.ts";

/** The parameters of the URL that make a view. */
const names = ["columns", "filter", "search", "everywhere", "sort", "deleted"] as const;

/** Each document has its own views, because several may be served at one address over time. */
const storageKey = (of: string) => `ninefold.view.${service.value?.name ?? ""}.${of}`;
const lastResource = " last";

function read(of: string): string {
  try {
    return localStorage.getItem(storageKey(of)) ?? "";
  } catch {
    // Storage is blocked: nothing is remembered.
    return "";
  }
}

function write(of: string, text: string): void {
  try {
    if (text === "") localStorage.removeItem(storageKey(of));
    else localStorage.setItem(storageKey(of), text);
  } catch {
    // Storage is blocked, as above.
  }
}

function viewInAddress(): string {
  const search = new URLSearchParams();
  for (const name of names) for (const text of parametersOf(name)) search.append(name, text);
  return search.toString();
}

/** The list of a resource as the user left it. */
export function storedListLink(resource: string): string {
  const path = linkTo(["data", resource]);
  const view = read(resource);
  return view === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${view}`;
}

/** The resource that was shown last, if it still exists. */
export function lastVisitedResource(resources: readonly string[]): string | undefined {
  return resources.find((name) => name === read(lastResource)) ?? resources[0];
}

/**
 * Restores the view of a list whose URL has none, and stores each change of it. A view from a link
 * is stored once the user changes it.
 */
export function useStoredView(resource: string, isList: boolean): void {
  const view = viewInAddress();
  const current = useRef<{ resource: string; view: string }>(undefined);
  const document = service.value?.name;
  useLayoutEffect(() => {
    if (document === undefined) return;
    write(lastResource, resource);
    if (current.current?.resource !== resource) {
      const stored = read(resource);
      const isRestored = view === "" && stored !== "" && isList;
      if (isRestored) {
        const search = new URLSearchParams(stored);
        const parameters = Object.fromEntries(names.map((name) => [name, search.getAll(name)] as const));
        navigate(addressWith(parameters), { replaces: true });
      }
      current.current = { resource, view: isRestored ? stored : view };
    } else if (current.current.view !== view) {
      current.current = { resource, view };
      write(resource, view);
    }
  }, [document, resource, view]);
}
