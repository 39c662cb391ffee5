/** Builds the response of an endpoint: `Returns`, `Header`, `Waits`, and the events of a stream. */
import { type Scope, withFixed } from "../../../../expressions/scope.ts";
import type { ItemNode } from "../../../../syntax/nodes.ts";
import { hasNotShown } from "../../../../syntax/read.ts";
import type { Endpoint, HeaderItem } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { openHeader, readHeader } from "../clauses.ts";
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
  readonly items: Pick<Endpoint, "returns" | "openReturns" | "gives" | "headers" | "waits" | "stream">;
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
  const of = { endpoint: reading.name, lists, pagination, handler, scope: answered };
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
): Pick<Endpoint, "headers" | "openHeaders"> {
  const headers = bindHeaders(frame, scope, ctx);
  const known = new Set(headers.map(({ name }) => name.toLowerCase()));
  const open = [...(frame.part.items.get("header") ?? []), ...frame.reading.items.all("header")]
    .flatMap((item) => openHeader(item) ?? [])
    .filter(({ name }) => !known.has(name.toLowerCase()));
  const nearest = new Map(open.map((header) => [header.name.toLowerCase(), header]));
  return nearest.size === 0 ? { headers } : { headers, openHeaders: [...nearest.values()] };
}

/** Headers of the part, the paths and the endpoint. If two have the same name, the nearest applies. */
function bindHeaders(
  { reading: { plan, stated: statedItems }, part }: EndpointFrame,
  scope: Scope,
  ctx: BuildContext,
): HeaderItem[] {
  const stated = (part.items.get("header") ?? []).filter((item) => !hasNotShown(item.value));
  const wide = stated.flatMap((item) => readHeader(item, scope, undefined, ctx) ?? []);
  const onPath = plan.headings.flatMap((heading) => {
    const record = plan.records.find((record) => record.heading === heading);
    return heading.items("header").flatMap((item) => headerOfPath(item, record, scope, ctx) ?? []);
  });
  const own = statedItems("header").flatMap((item) => readHeader(item, scope, undefined, ctx) ?? []);
  return [wide, onPath, own].reduce((all, nearer) => {
    const names = nearer.map((header) => header.name.toLowerCase());
    return [...all.filter((header) => !names.includes(header.name.toLowerCase())), ...nearer];
  });
}

/** Under the heading of a path, `this` is the record of that path. */
function headerOfPath(
  item: ItemNode,
  record: RecordPlan | undefined,
  scope: Scope,
  ctx: BuildContext,
): HeaderItem | undefined {
  if (!record || record.target) return readHeader(item, scope, undefined, ctx);
  const type = recordOf(record.resource);
  return readHeader(item, withFixed(scope, { this: type }), { op: "named", name: record.name, type }, ctx);
}
