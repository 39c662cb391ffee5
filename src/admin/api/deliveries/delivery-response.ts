/** Delivery response: serializes a delivery with the identifier of its receiver. */
import { type Static, Type } from "typebox";
import type { DeliveryRow } from "../../../engine/deliveries/deliveries.ts";
import { identifierOfRow } from "../../../engine/admin/edit-records.ts";
import type { Service } from "../../../engine/service.ts";
import type { Json } from "../../../support/json.ts";
import { fields, json, nullable, time } from "../routing/route.ts";

export type DeliveryResponse = Static<typeof deliverySchema>;

export const deliveryState = Type.Enum(["open", "done", "dead"]);

export const deliveryChannel = Type.Enum(["webhook", "email"]);

export const deliverySchema = fields({
  number: Type.Integer(),
  id: Type.String(),
  state: deliveryState,
  channel: Type.String(),
  resource: Type.String(),
  receiver: json,
  url: nullable(Type.String({ description: "the current address of its receiver; null for an email" })),
  event: fields({
    sequence: Type.Integer(),
    id: Type.String(),
    type: Type.String(),
    time,
    subject: Type.String(),
  }),
  attempts: Type.Integer(),
  created: nullable(time),
  due: nullable(time),
  last: nullable(time),
  ended: nullable(time),
  status: nullable(Type.Integer()),
  error: nullable(Type.String()),
});

export async function toDeliveryResponses(
  service: Service,
  rows: readonly DeliveryRow[],
): Promise<DeliveryResponse[]> {
  const receiverOf = createReceiverNames(service);
  const urlOf = createReceiverUrls(service);
  const responses: DeliveryResponse[] = [];
  for (const row of rows)
    responses.push(toDeliveryResponse(row, await receiverOf(row.resource, row.row), await urlOf(row)));
  return responses;
}

/** Returns a function that looks up the URL of a receiver, once for each and for each event type. */
function createReceiverUrls({ deliveries }: Service): (row: DeliveryRow) => Promise<string | null> {
  const known = new Map<string, Promise<string | null>>();
  return (row) => {
    const key = `${row.resource} ${row.row} ${row.eventType}`;
    const url =
      known.get(key) ??
      deliveries.request(row).then((made) => (made?.kind === "made" ? made.request.url : null));
    known.set(key, url);
    return url;
  };
}

/**
 * Returns a function that looks up the identifier of a receiver, once for each. Its result is null
 * if the record was deleted.
 */
export function createReceiverNames(service: Service): (resource: string, row: number) => Promise<Json> {
  const known = new Map<string, Promise<Json>>();
  return (resource, row) => {
    const key = `${resource} ${row}`;
    let found = known.get(key);
    if (!found) {
      const isThere = service.model.resources.some((candidate) => candidate.name === resource);
      found = isThere ? (identifierOfRow(service, resource, row) as Promise<Json>) : Promise.resolve(null);
      known.set(key, found);
    }
    return found;
  };
}

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** @param receiver null if the record was deleted */
function toDeliveryResponse(row: DeliveryRow, receiver: Json, url: string | null): DeliveryResponse {
  return {
    number: row.number,
    id: row.id,
    state: row.state,
    channel: row.channel,
    resource: row.resource,
    receiver,
    url,
    event: {
      sequence: row.event,
      id: row.eventId,
      type: row.eventType,
      time: row.eventTime,
      subject: row.subject,
    },
    attempts: row.attempts,
    created: timeOrNull(row.createdAt),
    due: timeOrNull(row.dueAt),
    last: timeOrNull(row.lastAt),
    ended: timeOrNull(row.endedAt),
    status: row.status,
    error: row.error,
  };
}
