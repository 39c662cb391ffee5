/**
 * Page parameters: read from the query, or from the body if a list is requested with a body
 * (`POST /search`). `page-request.ts` interprets them.
 */
import { partAt, type Value } from "../../expressions/value.ts";
import { takesPagesInBody } from "../../model/endpoints/engine-inputs.ts";
import type { Endpoint } from "../../model/model.ts";
import type { RequestContext } from "../request-context.ts";
import { nestedKeys } from "../../fields/parameter-keys.ts";

/**
 * Returns the text of a page parameter; undefined if the client did not send it, null if it is not
 * a single text.
 */
export function pageTexts(
  endpoint: Endpoint,
  request: RequestContext,
): (name: string) => string | null | undefined {
  const inBody = takesPagesInBody(endpoint);
  return (name) => {
    const text = request.queryText(name);
    if (text !== undefined) return text;
    if (request.isInQuery(name)) return null;
    return inBody ? textOf(partAt(request.evaluation.frame.body, nestedKeys(name)) ?? null) : undefined;
  };
}

function textOf(value: Value): string | null | undefined {
  if (value === null) return undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}
