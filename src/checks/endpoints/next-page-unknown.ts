/**
 * Part 4, `Pagination: cursor`: a cursor is opaque, so the client continues only with one that the
 * response contains: in a page shape, in a `Link` header or in a header of the document. Numbered
 * pages, offsets and identifiers need none.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { type NameRead, readsName } from "../../expressions/analysis/reads.ts";
import type { Expression } from "../../expressions/node.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Check } from "../check.ts";
import { ofEndpoints } from "../of-endpoints.ts";

const nextPage: NameRead = { name: "page", member: (name) => name.startsWith("next") };

export const nextPageUnknown: Check = ofEndpoints((endpoint, reporter, model) => {
  const { pagination, does, returns, headers, headerMaps, gap, openReturns, openHeaders } = endpoint;
  if (pagination?.kind !== "cursor" || pagination.links || gap || openReturns || openHeaders) return;
  if (!does.some(({ kind }) => kind === "list") || returns.length === 0) return;
  const meaning = meaningOf(model);
  const readsNext = ({ node }: Expression) => readsName(node, nextPage, meaning);
  if ([returns, headers, headerMaps].flatMap(expressionsIn).some(({ expression }) => readsNext(expression)))
    return;
  const page = model.shapes.find(({ of, body }) => of === undefined && readsNext(body))?.name;
  reporter.report("endpoints/next-page-unknown", pagination.position, { resource: endpoint.resource, page });
});
