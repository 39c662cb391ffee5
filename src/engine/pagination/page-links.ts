/**
 * Page links: cursors, numbers and URLs of the next and previous page, with all other parameters of
 * the request, and Web Linking headers (RFC 8288).
 */
import { nestedKeys } from "../../fields/parameter-keys.ts";
import type { Value } from "../../expressions/value.ts";
import type { Pagination } from "../../model/model.ts";

export interface AdjacentPages {
  /** Parameter and value of the next and previous page; null if there is no such page. */
  readonly next: { readonly parameter: string; readonly value: string } | null;
  readonly previous: { readonly parameter: string; readonly value: string } | null;
  readonly first: { readonly parameter: string; readonly value: string } | null;
  readonly last: { readonly parameter: string; readonly value: string } | null;
}

/**
 * Returns the parts of `page` that are URLs: `next_url` and others absolute, `next_uri` and others
 * as path and query.
 * @param origin may end with the path prefix of a data space
 */
export function pageAddresses(
  origin: string,
  target: string,
  pagination: Pagination,
  adjacent: AdjacentPages,
): Record<string, Value> {
  const base = origin.replace(/^[^/]*\/\/[^/]*/, "");
  const parts: Record<string, Value> = { url: origin + target, uri: base + target };
  for (const name of ["next", "previous", "first", "last"] as const) {
    const page = adjacent[name];
    const uri = page ? withParameter(target, pagination, page) : null;
    parts[`${name}_uri`] = uri === null ? null : base + uri;
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

/** Replaces all page parameters of the target by a single one. */
function withParameter(
  target: string,
  pagination: Pagination,
  page: { readonly parameter: string; readonly value: string },
): string {
  const [path = "", query = ""] = target.split("?", 2);
  const places = new Set(cursorParameters(pagination).map(keyed));
  const remaining = query.split("&").filter((pair) => pair !== "" && !places.has(keyed(decodeName(pair))));
  if (page.parameter !== "")
    remaining.push(`${encodeURIComponent(page.parameter)}=${encodeURIComponent(page.value)}`);
  return remaining.length === 0 ? path : `${path}?${remaining.join("&")}`;
}

/**
 * Returns one form of a parameter name, because `page[offset]` and `page.offset` are the same
 * parameter.
 */
function keyed(name: string): string {
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

function cursorParameters(pagination: Pagination): readonly string[] {
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
