/** Response headers: a description states their names and types, and the notation keeps the names. */
import type { Draft } from "./draft.ts";
import type { OwnItem } from "../description/extensions.ts";
import type { Operation } from "../description/operations.ts";
import { plainOf } from "../description/values.ts";
import type { Writing } from "./context.ts";

/** Whether Ninefold sends the header with every response, or the notation states it elsewhere. */
export function isStatedElsewhere(name: string): boolean {
  return /^(content-type|content-length|x-request-id|idempotent-replayed)$/i.test(name);
}

/**
 * The names of headers of the only successful response. With several responses, a comment lists
 * them.
 */
export function headerNames({ successes }: Operation): readonly string[] {
  const [success, more] = successes;
  if (!success || more) return [];
  const names = Object.keys(plainOf(success.node["headers"])).filter(
    (name) => /^[A-Za-z][\w-]{0,63}$/.test(name) && !isStatedElsewhere(name),
  );
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}

/**
 * Writes `- Header: ETag: not shown` for each. An export of Ninefold states values, and `ETag` by
 * `Preconditions`.
 */
export function writeHeaders(
  draft: Draft,
  { refusals }: Writing,
  operation: Operation,
  items: readonly OwnItem[],
): void {
  const { id } = operation;
  const known = new Set(items.some(({ item }) => item === "Preconditions") ? ["etag"] : []);
  for (const { item, value } of items) {
    if (item !== "Header" || refusals.has(`own header ${id}`)) continue;
    known.add(value.split(":")[0]?.toLowerCase() ?? "");
    draft.count("response headers", "stated");
    draft.add(`- Header: ${value}`, `own header ${id}`);
  }
  if (refusals.has(`header ${id}`)) return;
  for (const name of headerNames(operation)) {
    if (known.has(name.toLowerCase())) continue;
    draft.count("response headers", "open");
    draft.add(`- Header: ${name}: not shown`, `header ${id}`);
  }
}
