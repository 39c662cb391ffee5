/** Builds the response of an endpoint: `Returns`, `Header`, `Waits`, and the events of a stream. */
import type { Node } from "../../../../expressions/node.ts";
import { type Scope, withFixed } from "../../../../expressions/scope.ts";
import type { ItemNode } from "../../../../syntax/nodes.ts";
import { hasNotShown } from "../../../../syntax/read.ts";
import type { Endpoint, HeaderItem } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { openHeader, readHeader, readHeaderMap } from "../clauses.ts";
import { doesAny, isUnknown } from "../does.ts";
import type { Change } from "../endpoint-change.ts";
import type { EndpointFrame } from "../endpoint-frame.ts";
import { readWaits } from "./http-items.ts";
import { recordsPageType } from "../../scopes/page-type.ts";
import type { RecordPlan } from "../paths/path-records.ts";
import { givenByAnswer, type ReadReturns, readReturns, readReturnsOfUnknown } from "./returns.ts";
import type { EndpointReading } from "../reading.ts";
import { recordOf } from "../scopes.ts";
import { readStream } from "./stream.ts";

export interface Answer {
  readonly items: Pick<
    Endpoint,
    "returns" | "openReturns" | "gives" | "headers" | "headerMaps" | "waits" | "stream"
  >;
  readonly read: ReadReturns;
}

/** @param open a reporter for mistakes that are certain even if the endpoint's effects are unknown */
export function bindAnswer(
  frame: EndpointFrame,
  { named, after }: Change,
  ctx: BuildContext,
  open: BuildContext,
): Answer {
  const { reading, resource, pagination, items } = frame;
  const { does } = reading.deeds;
  const lists = doesAny(does, "list") ? resource?.name : undefined;
  const handler = doesAny(does, "handler");
  const given = handler ? givenByAnswer(items("returns"), ctx) : undefined;
  const answered = given ? withFixed(after, { this: given }) : after;
  const orList = does.some(({ deed }) => "orList" in deed && deed.orList !== undefined);
  const of = { endpoint: reading.name, lists, orList, pagination, handler, scope: answered };
  const returns = [...items("returns"), ...openReturnsOf(reading)];
  const read = isUnknown(reading.deeds)
    ? readReturnsOfUnknown(returns, of, ctx, open)
    : readReturns(returns, of, ctx);
  const scope =
    lists === undefined ? answered : withFixed(answered, { page: recordsPageType(lists, pagination) });
  const [waitsItem] = items("waits");
  const waits = waitsItem && readWaits(waitsItem, scope, named, ctx);
  return {
    items: {
      returns: read.returns,
      ...(read.openReturns.length > 0 ? { openReturns: read.openReturns } : {}),
      ...(given && "resource" in given ? { gives: given.resource } : {}),
      ...headersOf(frame, scope, ctx),
      ...(waits ? { waits } : {}),
      ...(doesAny(does, "stream") ? { stream: bindStream(frame, named, ctx) } : {}),
    },
    read,
  };
}

/** `Returns` of which something isn't shown. */
function openReturnsOf({ items, stated }: EndpointReading): readonly ItemNode[] {
  const known = new Set(stated("returns"));
  return items.all("returns").filter((item) => !known.has(item));
}

function bindStream(
  { reading: { stated: statedItems } }: EndpointFrame,
  scope: Scope,
  ctx: BuildContext,
): NonNullable<Endpoint["stream"]> {
  return readStream(
    { sends: statedItems("sends"), starts: statedItems("starts")[0], ends: statedItems("ends") },
    scope,
    ctx,
  );
}

function headersOf(
  frame: EndpointFrame,
  scope: Scope,
  ctx: BuildContext,
): Pick<Endpoint, "headers" | "headerMaps" | "openHeaders"> {
  const headers = bindHeaders(frame, scope, ctx);
  const headerMaps = bindHeaderMaps(frame, scope, ctx);
  const known = new Set(headers.map(({ name }) => name.toLowerCase()));
  const open = [...(frame.part.items.get("header") ?? []), ...frame.reading.items.all("header")]
    .flatMap((item) => openHeader(item) ?? [])
    .filter(({ name }) => !known.has(name.toLowerCase()));
  const nearest = new Map(open.map((header) => [header.name.toLowerCase(), header]));
  return nearest.size === 0
    ? { headers, headerMaps }
    : { headers, headerMaps, openHeaders: [...nearest.values()] };
}

/** Reads an item of headers. `self` replaces `this`. */
type ReadItem<T> = (item: ItemNode, scope: Scope, self: Node | undefined, ctx: BuildContext) => T | undefined;

/** Headers of the part, the paths and the endpoint. If two have the same name, the nearest applies. */
function bindHeaders(frame: EndpointFrame, scope: Scope, ctx: BuildContext): HeaderItem[] {
  return boundItems("header", readHeader, frame, scope, ctx).reduce((all, nearer) => {
    const names = nearer.map((header) => header.name.toLowerCase());
    return [...all.filter((header) => !names.includes(header.name.toLowerCase())), ...nearer];
  });
}

/** Maps of headers of the part, the paths and the endpoint. The nearest is the last, and replaces the others' headers. */
function bindHeaderMaps(frame: EndpointFrame, scope: Scope, ctx: BuildContext): Endpoint["headerMaps"] {
  return boundItems("headers", readHeaderMap, frame, scope, ctx).flat();
}

/** The items of the part, of the paths, and of the endpoint. */
function boundItems<T>(
  key: "header" | "headers",
  read: ReadItem<T>,
  { reading: { plan, stated: statedItems }, part }: EndpointFrame,
  scope: Scope,
  ctx: BuildContext,
): readonly [wide: T[], onPath: T[], own: T[]] {
  const stated = (part.items.get(key) ?? []).filter((item) => !hasNotShown(item.value));
  const wide = stated.flatMap((item) => read(item, scope, undefined, ctx) ?? []);
  const onPath = plan.headings.flatMap((heading) => {
    const record = plan.records.find((record) => record.heading === heading);
    return heading.items(key).flatMap((item) => readOfPath(item, read, record, scope, ctx) ?? []);
  });
  const own = statedItems(key).flatMap((item) => read(item, scope, undefined, ctx) ?? []);
  return [wide, onPath, own];
}

/** Under the heading of a path, `this` is the record of that path. */
function readOfPath<T>(
  item: ItemNode,
  read: ReadItem<T>,
  record: RecordPlan | undefined,
  scope: Scope,
  ctx: BuildContext,
): T | undefined {
  if (!record || record.target) return read(item, scope, undefined, ctx);
  const type = recordOf(record.resource);
  return read(item, withFixed(scope, { this: type }), { op: "named", name: record.name, type }, ctx);
}
