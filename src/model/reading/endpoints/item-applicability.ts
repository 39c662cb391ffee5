/**
 * Item applicability: whether an item has a meaning for an endpoint, by what the endpoint does.
 * Items of the part are silently ignored where they have none.
 */
import { positionIn } from "../../../source/phrase.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { keyText } from "../../../syntax/read.ts";
import type { BuildContext } from "../any-part/context.ts";
import { changesAny, doesAny, onlyStreams, commonReach } from "./does.ts";
import type { EndpointItem } from "./items.ts";
import type { EndpointReading } from "./reading.ts";

/** Whether the item has a meaning on the endpoint. If not, an item of the endpoint is reported. */
export function isApplicable(
  reading: EndpointReading,
  key: EndpointItem,
  item: ItemNode,
  { reporter }: BuildContext,
): boolean {
  const reason = whySenseless(reading, key, item);
  if (reason === undefined) return true;
  if (reading.items.isOwn(key))
    reporter.report("endpoints/senseless-item", positionIn(item.key), { key: item.key.text, reason });
  return false;
}

/** Whether an item of the part has a meaning on the endpoint. */
export function isPartItemApplicable(reading: EndpointReading, key: EndpointItem, item: ItemNode): boolean {
  const { does } = reading.deeds;
  // An endpoint states its own `Like`.
  if (key === "like") return false;
  if (key === "sends" || key === "starts" || key === "ends") return doesAny(does, "stream", "handler");
  // `none` has the same effect as no pagination on an endpoint without a list.
  if (key === "pagination") return doesAny(does, "list", "handler");
  return whySenseless(reading, key, item) === undefined;
}

function whySenseless(reading: EndpointReading, key: EndpointItem, item: ItemNode): string | undefined {
  const { deeds, plan, section } = reading;
  const { does, resource } = deeds;
  // For an endpoint with unknown effects no item is meaningless.
  if (does.length === 0) return undefined;
  const reach = commonReach(does);
  const picked = plan.records.some((record) => record.target);
  const changes = changesAny(does);
  switch (key) {
    case "where":
      if (reach === "none") return "the endpoint acts on no record";
      return reach === "new" ? "a new record needs no condition to find it" : undefined;
    case "order":
      if (reach === "many" || (reach === "one" && !picked)) return undefined;
      return "there is at most one record to sort";
    case "pagination":
      return doesAny(does, "list")
        ? undefined
        : keyText(item.value) === "none"
          ? undefined
          : "the endpoint lists nothing";
    case "set":
      return changes ? undefined : "the endpoint changes no record; write other changes as an `Effect`";
    case "finds":
      if (!resource) return "the endpoint acts on no record";
      return resource.deletedMarked
        ? undefined
        : `deleted records of ${resource.name} are not kept (\`- Deleted: marked\` would keep them)`;
    case "returns":
      return onlyStreams(does) ? "a stream responds with what it `Sends`" : undefined;
    case "preconditions":
      if (isListBody(reading)) return "of a list of records, there is no single one to compare";
      // Items of the part apply to reads, and to existing records.
      if (
        !reading.items.isOwn(key) &&
        section.method !== "GET" &&
        section.method !== "QUERY" &&
        reach !== "one" &&
        reach !== "new or one"
      )
        return "there is no revision to compare";
      return /if-match/i.test(item.value.text) && reach !== "one" && reach !== "new or one"
        ? "there is no single record to compare"
        : undefined;
    case "idempotency":
      if (doesAny(does, "stream"))
        return "a stream can't be repeated; the client resumes it with `Last-Event-ID`";
      return section.method === "GET" || section.method === "QUERY"
        ? `a ${section.method} changes nothing and can be repeated anyway`
        : undefined;
    case "waits":
      if (isListBody(reading)) return "a response to a list of records isn't held";
      return onlyStreams(does) ? "a stream sends events as they happen" : undefined;
    case "body in":
      if (isListBody(reading)) return "a body that may be a list has no wrapping key";
      return takesBody(reading) ? undefined : "the endpoint has no body";
    case "body is":
      if (isListBody(reading)) return "the body is one record or a list of them, so it isn't one input";
      return reading.items.all("body in").length > 0
        ? "a body that is one input has no wrapping key (`Body in`)"
        : undefined;
    case "unknown fields":
      return takesBody(reading) || !/ in body\b/i.test(item.value.text)
        ? undefined
        : "the endpoint has no body";
    case "accepts":
    case "encodings":
      return section.method === "GET" ? "a GET has no body" : undefined;
    default:
      return undefined;
  }
}

function isListBody({ deeds }: EndpointReading): boolean {
  return deeds.does.some(({ deed }) => "orList" in deed && deed.orList !== undefined);
}

function takesBody({ inputs, openBody }: EndpointReading): boolean {
  return openBody !== undefined || inputs.some(({ input }) => input.in === "body");
}

/** Reports stream items on an endpoint that is not a stream. */
export function checkStreamItems(reading: EndpointReading, { reporter }: BuildContext): void {
  const { does } = reading.deeds;
  if (does.length === 0 || doesAny(does, "stream", "handler")) return;
  for (const key of ["sends", "starts", "ends"] as const) {
    const [item] = reading.items.isOwn(key) ? reading.stated(key) : [];
    if (item)
      reporter.report("endpoints/senseless-item", positionIn(item.key), {
        key: item.key.text,
        reason: "only a `stream` can have it",
      });
  }
}
