/**
 * Page links: the URLs of the next, previous, first and last pages, with all other parameters of
 * the request, and the `Link` header (RFC 8288).
 */
import { nestedKeys } from "../../fields/parameter-keys.ts";
import type { Value } from "../../expressions/value.ts";
import type { Pagination } from "../../model/model.ts";

/** For each page, its parameter and value; null if there is no such page. */
export interface AdjacentPages {
  readonly next: { readonly parameter: string; readonly value: string } | null;
  readonly previous: { readonly parameter: string; readonly value: string } | null;
  readonly first: { readonly parameter: string; readonly value: string } | null;
  readonly last: { readonly parameter: string; readonly value: string } | null;
}

/**
 * Returns the parts of `page` that are URLs: `next_url` and others absolute, `next_uri` and others
 * as path and query.
 * @param origin scheme and host, and the path prefix of a data space if the request is for one
 */
export function pageAddresses(
  origin: string,
  target: string,
  pagination: Pagination,
  adjacent: AdjacentPages,
): Record<string, Value> {
  const pathPrefix = origin.replace(/^[^/]*\/\/[^/]*/, "");
  const parts: Record<string, Value> = { url: origin + target, uri: pathPrefix + target };
  for (const name of ["next", "previous", "first", "last"] as const) {
    const page = adjacent[name];
    const uri = page ? withParameter(target, pagination, page) : null;
    parts[`${name}_uri`] = uri === null ? null : pathPrefix + uri;
    parts[`${name}_url`] = uri === null ? null : origin + uri;
  }
  return parts;
}

export function linkHeader(addresses: Record<string, Value>): string | null {
  const relations = [
    ["next", "next"],
    ["previous", "prev"],
    ["first", "first"],
    ["last", "last"],
  ] as const;
  const links = relations.flatMap(([name, rel]) => {
    const url = addresses[`${name}_url`];
    return typeof url === "string" ? [`<${url}>; rel="${rel}"`] : [];
  });
  return links.length === 0 ? null : links.join(", ");
}

/** The target without the parameters that select a page, and with that of this page, if it has one. */
function withParameter(
  target: string,
  pagination: Pagination,
  page: { readonly parameter: string; readonly value: string },
): string {
  const [path = "", query = ""] = target.split("?", 2);
  const pageNames = new Set(pageParameters(pagination).map(canonicalName));
  const remaining = query
    .split("&")
    .filter((pair) => pair !== "" && !pageNames.has(canonicalName(decodeName(pair))));
  if (page.parameter !== "")
    remaining.push(`${encodeURIComponent(page.parameter)}=${encodeURIComponent(page.value)}`);
  return remaining.length === 0 ? path : `${path}?${remaining.join("&")}`;
}

/**
 * Returns one form of a parameter name, because `page[offset]` and `page.offset` are the same
 * parameter.
 */
function canonicalName(name: string): string {
  return nestedKeys(name).join("\0");
}

function decodeName(pair: string): string {
  const name = pair.split("=", 1)[0] as string;
  try {
    return decodeURIComponent(name.replace(/\+/g, " "));
  } catch {
    return name;
  }
}

function pageParameters(pagination: Pagination): readonly string[] {
  switch (pagination.kind) {
    case "cursor":
      return [pagination.after, pagination.before, pagination.at].filter((name) => name !== undefined);
    case "identifier":
      return [pagination.after, pagination.before].filter((name) => name !== undefined);
    case "page":
      return [pagination.page];
    case "offset":
      return [pagination.offset];
    case "none":
      return [];
  }
}
