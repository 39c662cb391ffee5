/** Response headers: a description states their names and types, and the notation keeps the names. */
import type { Draft } from "./draft.ts";
import type { Operation } from "./operations.ts";
import { plainOf } from "./values.ts";

/** Headers that the notation states elsewhere, or that Ninefold sends with every response. */
const statedElsewhere = /^(content-type|content-length|x-request-id|idempotent-replayed)$/i;

/** The names of headers of the only successful response. Of several responses a comment keeps them. */
export function headerNames({ successes }: Operation): readonly string[] {
  const [success, more] = successes;
  if (!success || more) return [];
  const names = Object.keys(plainOf(success.node["headers"])).filter(
    (name) => /^[A-Za-z][\w-]{0,63}$/.test(name) && !statedElsewhere.test(name),
  );
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}

/** `- Header: ETag: not shown` for each. */
export function writeHeaders(draft: Draft, operation: Operation): void {
  for (const name of headerNames(operation)) {
    draft.count("response headers", "open");
    draft.add(`- Header: ${name}: not shown`, `header ${operation.id}`);
  }
}
