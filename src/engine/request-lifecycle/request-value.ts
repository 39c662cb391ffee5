/** The `request` value of expressions, and query parameters by the names that documents use. */
import { pieceReads } from "../../expressions/analysis/reads.ts";
import type { Value } from "../../expressions/value.ts";
import { type FormNode, onlyText } from "../../fields/form.ts";
import type { Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { nestedKeys } from "../../fields/parameter-keys.ts";
import type { ServiceRequest } from "../http/message.ts";
import type { ParsedHead } from "../http/strict-request.ts";

/** Whether any expression may read the raw body. */
export const mayReadRawBody = memoizeBy((model: Model) =>
  pieceReads(model, { name: "request", member: "body" }),
);

export function requestValue(request: ServiceRequest, head: ParsedHead, id: string, origin: string): Value {
  return {
    id,
    method: request.method,
    path: head.path,
    url: origin + head.path + (head.query === "" ? "" : `?${head.query}`),
    ip: request.remoteAddress,
    version: null,
    prefer: head.headers["prefer"] ?? null,
    replayed: false,
  } as Value;
}

/**
 * Returns the text of a query parameter. `page[limit]` is read as `page.limit`, because an input
 * has that name.
 */
export function textIn(query: FormNode, name: string): string | undefined {
  const node = nodeIn(query, name);
  return node && onlyText(node);
}

export function nodeIn(query: FormNode, name: string): FormNode | undefined {
  return (
    query.parts?.get(name) ??
    nestedKeys(name).reduce<FormNode | undefined>((node, key) => node?.parts?.get(key), query)
  );
}
