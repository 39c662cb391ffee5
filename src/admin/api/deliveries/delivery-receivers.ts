/** Delivery receivers: the state of each receiver, and its recent success rate. */
import { type Static, Type } from "typebox";
import type { DeliveryRow, ReceiverRow } from "../../../engine/deliveries/deliveries.ts";
import { pageOfRecords } from "../../../engine/admin/list-records.ts";
import { targetsOf } from "../../../engine/events/targets.ts";
import type { Service } from "../../../engine/service.ts";
import { partAt } from "../../../expressions/value.ts";
import type { Model } from "../../../model/model.ts";
import type { Json } from "../../../support/json.ts";
import type { AdminSpace } from "../../context.ts";
import { attemptsOf, receiverKey } from "../../overview/live.ts";
import { createReceiverNames, deliveryChannel, timeOrNull } from "./delivery-response.ts";
import { badRequest } from "../routing/refusal.ts";
import { fields, json, nullable, time } from "../routing/route.ts";
import { hourFields, toHourResponse } from "../requests/traffic.ts";

export type ReceiverHealth = Static<typeof receiverHealth>;
export type ReceiversResponse = Static<typeof receiversSchema>;

export const receiverHealth = fields({
  channel: deliveryChannel,
  resource: Type.String(),
  receiver: json,
  url: nullable(Type.String({ description: "where its last webhook went" })),
  recent: fields({
    ended: Type.Integer({ description: "the finished ones among its last 20 deliveries" }),
    delivered: Type.Integer(),
  }),
  failing: Type.Boolean({ description: "its last attempt failed" }),
  paused: Type.Boolean(),
  disabled: Type.Boolean({ description: "it responded with 410, to stop deliveries" }),
  due: nullable(time),
  open: Type.Integer({ description: "pending deliveries, counted up to 1,001" }),
});

export const receiversSchema = fields({
  receivers: Type.Array(receiverHealth),
  next: nullable(Type.String({ description: "`after` of the next page" })),
});

export const receiverSchema = fields({
  receiver: receiverHealth,
  events: Type.Array(Type.String(), { description: "types that may be sent to it" }),
  signed_by: nullable(Type.String()),
  /** Attempts of this process; null if there were none. */
  last_hour: nullable(fields(hourFields)),
});

export type ReceiverResponse = Static<typeof receiverSchema>;

/** Describes a receiver. */
export async function toReceiverResponse(space: AdminSpace, key: ReceiverKey): Promise<ReceiverResponse> {
  const { service } = space;
  const { model } = service;
  const state = (await service.deliveries.receiver(key)) ?? unknownState(key);
  const lastHour = attemptsOf(space).lastHourOf(receiverKey(key));
  return {
    receiver: await toReceiverHealth(service, createReceiverNames(service), state),
    events: targetsOf(model).flatMap(({ event, resource }) => (resource === key.resource ? [event] : [])),
    signed_by: signedBy(model),
    last_hour: lastHour && lastHour.requests > 0 ? toHourResponse(lastHour) : null,
  };
}

/**
 * The signature and headers by which a receiver can verify the sender of a request. Null if
 * requests have none.
 */
export function signedBy({ events: { signature, headers } }: Model): string | null {
  const names = [...(signature ? ["Standard Webhooks"] : []), ...headers.map(({ name }) => name)];
  return names.length === 0 ? null : names.join(", ");
}

export type ReceiverFilter = NonNullable<Parameters<Service["deliveries"]["receivers"]>[0]>;

/** Lists receivers of pending deliveries, and those with problems. */
export async function toReceiversResponse(
  service: Service,
  count: number,
  filter: ReceiverFilter,
): Promise<ReceiversResponse> {
  const rows = await service.deliveries.receivers(filter, count + 1);
  const names = createReceiverNames(service);
  const receivers: ReceiverHealth[] = [];
  for (const row of rows.slice(0, count)) receivers.push(await toReceiverHealth(service, names, row));
  const last = rows.length > count ? rows[count - 1] : undefined;
  return { receivers, next: last ? JSON.stringify([last.channel, last.resource, last.row]) : null };
}

/**
 * Lists the records that webhooks go to, also those that were sent nothing yet. A page has records
 * of one resource.
 */
export async function toWebhooksResponse(
  service: Service,
  limit: number,
  after: string | undefined,
): Promise<ReceiversResponse> {
  const targets = targetsOf(service.model);
  const resources = [...new Set(targets.map(({ resource }) => resource))];
  const [named, from] = after === undefined ? [resources[0]] : parseCursor(after);
  const at = resources.findIndex((resource) => resource === named);
  if (after !== undefined && (at < 0 || (from !== null && typeof from !== "string"))) throw wrongCursor();
  let cursor = typeof from === "string" ? from : undefined;
  for (const [index, resource] of resources.slice(Math.max(at, 0)).entries()) {
    const question = { resource, filters: [], oldestFirst: true };
    const page = await pageOfRecords(service, question, {
      limit,
      whole: true,
      ...(cursor ? { cursor } : {}),
    });
    cursor = undefined;
    const following = resources[Math.max(at, 0) + index + 1];
    if (page.records.length === 0 && following !== undefined) continue;
    const address = targets.find((target) => target.resource === resource)?.address.split(".") ?? [];
    const receivers: ReceiverHealth[] = [];
    for (const { id, row, fields: values } of page.records) {
      const key = { channel: "webhook", resource, row } as const;
      const stored = await service.deliveries.receiver(key);
      const url = textAt(values, address);
      // Searching the log for deliveries to an idle receiver reads all of it.
      const health = stored
        ? await toReceiverHealth(service, async () => id, stored)
        : healthOf(unknownState(key), id, []);
      receivers.push({ ...health, url: health.url ?? url });
    }
    const next = page.next !== undefined ? [resource, page.next] : following && [following, null];
    return { receivers, next: next ? JSON.stringify(next) : null };
  }
  return { receivers: [], next: null };
}

function textAt(values: Readonly<Record<string, Json>>, path: readonly string[]): string | null {
  const value = partAt(values, path);
  return typeof value === "string" && value !== "" ? value : null;
}

type ReceiverKey = Pick<ReceiverRow, "channel" | "resource" | "row">;

/** The state of a receiver of which none is stored: it has received nothing lately. */
const unknownState = (key: ReceiverKey): ReceiverRow => ({
  ...key,
  isFailing: false,
  isPaused: false,
  disabledRevision: null,
  dueAt: null,
  open: 0,
});

/** The number of recent deliveries that the success rate is computed from. */
const recentMax = 20;

export async function toReceiverHealth(
  { deliveries }: Service,
  nameOf: (resource: string, row: number) => Promise<Json>,
  state: ReceiverRow,
): Promise<ReceiverHealth> {
  const { channel, resource, row } = state;
  const last = await deliveries.list({ channel, receiver: { resource, row } }, recentMax);
  const made = last[0] && (await deliveries.request(last[0]));
  const health = healthOf(state, await nameOf(resource, row), last);
  return made?.kind === "made" ? { ...health, url: made.request.url } : health;
}

/** @param last its last deliveries */
function healthOf(
  { channel, resource, isFailing, isPaused, disabledRevision, dueAt, open }: ReceiverRow,
  receiver: Json,
  last: readonly Pick<DeliveryRow, "state">[],
): ReceiverHealth {
  const ended = last.filter(({ state }) => state !== "open");
  return {
    channel,
    resource,
    receiver,
    url: null,
    recent: { ended: ended.length, delivered: ended.filter(({ state }) => state === "done").length },
    failing: isFailing,
    paused: isPaused,
    disabled: disabledRevision !== null,
    due: timeOrNull(dueAt),
    open,
  };
}

/** Parses the position at which the previous page ended. @throws OperationRefusal */
export function cursorOf(after: string): NonNullable<ReceiverFilter["after"]> {
  const [kind, resource, row] = parseCursor(after);
  if ((kind !== "webhook" && kind !== "email") || typeof resource !== "string" || !Number.isSafeInteger(row))
    throw wrongCursor();
  return { channel: kind, resource, row: row as number };
}

const wrongCursor = () => badRequest('"after" must be the "next" of the previous page.');

function parseCursor(text: string): readonly unknown[] {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}
