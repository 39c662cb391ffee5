/**
 * Filters, order and search of a resource's records in the URL, and links that change them. Each
 * URL can be shared.
 */
import { addressWith, parameter, parametersOf, setParameters } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";

/**
 * The filters as the operations API accepts them; counts and bulk changes accept all but `sort` and
 * `cursor`.
 */
export function dialogOpen() {
  return {
    filter: parametersOf("filter"),
    search: parameter("search"),
    everywhere: parameter("everywhere") === "true" ? true : undefined,
    deleted: parameter("deleted") === "true" ? true : undefined,
  };
}

export function pageRequested() {
  return { ...dialogOpen(), sort: parameter("sort"), cursor: parameter("cursor") };
}

/** A search by an index has no count, because it is a single page. */
export function isIndexSearch(): boolean {
  const { search, everywhere } = dialogOpen();
  return search !== undefined && search !== "" && everywhere !== true;
}

export function storeFilters(filter: readonly string[]): void {
  setParameters({ filter, cursor: undefined });
}

/** The URL of a record next to the list. */
export function recordPaneLink(resource: string, id: string): string {
  return addressWith({}, `/data/${encodeURIComponent(resource)}/${encodeURIComponent(id)}`);
}

export function listLink(resource: string): string {
  return addressWith({ tab: undefined }, `/data/${encodeURIComponent(resource)}`);
}

/** The URL of a record of any resource, in its own list. */
export function recordLink(resource: string, id: string): string {
  return linkTo(["data", resource, id]);
}

/** The URL of a resource's records with a condition on a field. */
export function filteredLink(resource: string, field: string, id: string, operator = "="): string {
  return linkTo(["data", resource], { filter: `${field} ${operator} ${id}` });
}

export const apiPath = (resource: string, ...pieces: readonly string[]) =>
  `/api/records/${[resource, ...pieces].map(encodeURIComponent).join("/")}`;
