/**
 * Pagination of an operation: how its pages are requested, and the keys of the items and the next
 * cursor in a response, for clients that read all pages.
 */
import { closestRow } from "../../model/limits/applies.ts";
import { takesPagesInBody } from "../../model/endpoints/engine-inputs.ts";
import type { Endpoint } from "../../model/model.ts";
import { outputByName } from "../../model/versions/output-nodes.ts";
import type { WireContext } from "./context.ts";
import { isObject } from "./json-schemas.ts";
import { keysTo } from "./response-keys.ts";
import type { PageView, WireAnswer } from "./wire.ts";

export function pageView(
  context: WireContext,
  endpoint: Endpoint,
  answers: readonly WireAnswer[],
): PageView | undefined {
  const { pagination, returns } = endpoint;
  if (!pagination || pagination.kind === "none" || !endpoint.does.some((does) => does.kind === "list"))
    return undefined;
  const [answer] = returns.filter((response) => response.kind !== "error" && response.kind !== "nothing");
  if (!answer) return undefined;
  const page =
    answer.kind === "page" ? answer.page.node : answer.kind === "expression" ? answer.body.node : undefined;
  const shown = page && outputByName(context.model, page, context.view);
  const keysOf = (name: string) => (shown ? keysTo(context, shown, "page", name) : undefined);
  const items = answer.kind === "list" ? [] : keysOf("items");
  const next = keysOf("next");
  const nextAddress = keysOf("next_url") ?? keysOf("next_uri");
  const hasMore = keysOf("has_more");
  const schema = answers.find((wireAnswer) => wireAnswer.status === answer.status)?.content?.schema ?? {};
  const row = closestRow(context.model.limits.pages, endpoint);
  const { kind, links } = pagination;
  const item = items ? itemOf(context, schema, items) : {};
  const identifier = kind === "identifier" ? identifierIn(context, endpoint, item) : undefined;
  return {
    kind,
    ...(pagination.size === undefined ? {} : { size: pagination.size }),
    ...placesOf(pagination),
    in: takesPagesInBody(endpoint) ? "body" : "query",
    ...(row?.default === undefined ? {} : { sizeDefault: row.default }),
    ...(row?.maximum === undefined ? {} : { sizeMax: row.maximum }),
    ...(row?.over === "clamped" ? { isClamped: true } : {}),
    ...(items ? { items } : {}),
    ...(next ? { next } : {}),
    ...(nextAddress ? { nextAddress } : {}),
    ...(hasMore ? { hasMore } : {}),
    ...(identifier === undefined ? {} : { identifier }),
    links,
    item,
  };
}

/** The key of an item that the next page's request needs. */
function identifierIn(
  context: WireContext,
  { resource }: Endpoint,
  item: PageView["item"],
): string | undefined {
  const own = resource === undefined ? undefined : context.resources.get(resource)?.identifier;
  if (resource === undefined || !own || !("field" in own)) return undefined;
  const name = context.view?.fieldName(resource, own.field) ?? own.field;
  const properties = context.schemas.open(item)?.["properties"];
  return isObject(properties as never) && name in (properties as object) ? name : undefined;
}

function placesOf(
  pagination: Exclude<NonNullable<Endpoint["pagination"]>, { kind: "none" }>,
): Partial<PageView> {
  switch (pagination.kind) {
    case "page":
      return { page: pagination.page, from: pagination.from };
    case "offset":
      return { offset: pagination.offset, ...(pagination.from === 0 ? {} : { from: pagination.from }) };
    default: {
      const { after, before } = pagination;
      const at = pagination.kind === "cursor" ? pagination.at : undefined;
      return {
        ...(after === undefined ? {} : { after }),
        ...(before === undefined ? {} : { before }),
        ...(at === undefined ? {} : { at }),
      };
    }
  }
}

function itemOf(context: WireContext, schema: PageView["item"], keys: readonly string[]): PageView["item"] {
  let found: PageView["item"] | undefined = context.schemas.open(schema);
  for (const key of keys) {
    const properties: unknown = found?.["properties"];
    const inner = isObject(properties as never) ? (properties as Record<string, unknown>)[key] : undefined;
    found = isObject(inner as never) ? context.schemas.open(inner as PageView["item"]) : undefined;
  }
  const items = found?.["items"];
  return isObject(items) ? items : {};
}
