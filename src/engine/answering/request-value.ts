/** What expressions see of a request besides its inputs (`request`), and parameters of its query by the names that documents write. */
import { pieceReads } from "../../expressions/reads.ts";
import type { Value } from "../../expressions/value.ts";
import { type FormNode, onlyText } from "../../fields/form.ts";
import type { Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { nestedKeys } from "../../fields/parameter-keys.ts";
import type { ServiceRequest } from "../http/message.ts";
import type { ParsedHead } from "../http/strict-request.ts";

/** Whether some expression may ask for the body as it came. */
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

/** The text of a parameter; `page[limit]` stands inside of `page`, and so may `page.limit`, as for an input of that name. */
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
