/**
 * Delivery detail: one delivery with its content, the results of its last attempts, and the state
 * of its receiver.
 */
import { type Static, Type } from "typebox";
import type { AttemptRow, DeliveryRow } from "../../../engine/deliveries/deliveries.ts";
import type { WebhookRequest } from "../../../engine/deliveries/webhook-request.ts";
import type { Service } from "../../../engine/service.ts";
import type { Model } from "../../../model/model.ts";
import { receiverHealth, signedBy, toReceiverHealth } from "./delivery-receivers.ts";
import {
  createReceiverNames,
  type DeliveryResponse,
  deliverySchema,
  toDeliveryResponses,
} from "./delivery-response.ts";
import { OperationRefusal } from "../routing/refusal.ts";
import { fields, nullable, time } from "../routing/route.ts";

export type DeliveryDetailResponse = Static<typeof detailSchema>;

const attemptSchema = fields({
  number: Type.Integer({
    description: "from 1, including attempts before a redelivery",
  }),
  started: time,
  took_ms: Type.Integer(),
  status: nullable(Type.Integer()),
  error: nullable(Type.String()),
  answer: nullable(Type.String({ description: "the start of the response" })),
});

export const detailSchema = fields({
  delivery: deliverySchema,
  attempts: Type.Array(attemptSchema, { description: "the last ones, newest first" }),
  request: nullable(
    fields({
      method: Type.String(),
      url: Type.String(),
      headers: Type.Array(
        fields({
          name: Type.String(),
          value: nullable(Type.String({ description: "null if it may contain a secret" })),
        }),
      ),
      body: Type.String(),
    }),
  ),
  letter: nullable(fields({ to: Type.Array(Type.String()), subject: Type.String(), text: Type.String() })),
  trouble: nullable(Type.String({ description: "why nothing could be sent" })),
  receiver: nullable(receiverHealth),
  signed_by: nullable(Type.String()),
});

/** @throws OperationRefusal */
export async function toDeliveryDetailResponse(
  service: Service,
  id: string,
): Promise<DeliveryDetailResponse> {
  const { deliveries, model } = service;
  const [row] = await deliveries.list({ id }, 1);
  if (!row)
    throw new OperationRefusal(
      404,
      "No such delivery",
      `There is no delivery "${id.slice(0, 100)}". Part 6 says how long they are kept ("Deliveries: kept").`,
    );
  const [delivery] = await toDeliveryResponses(service, [row]);
  const made = await deliveries.request(row);
  const health = await deliveries.receiver(row);
  return {
    delivery: delivery as DeliveryResponse,
    attempts: (await deliveries.attempts(row.number)).map(toAttemptResponse),
    request: made?.kind === "made" ? { ...made.request, headers: headersOf(made.request, model) } : null,
    letter: letterOf(row),
    trouble: made !== undefined && made.kind !== "made" ? made.error : null,
    receiver: health && (await toReceiverHealth(service, createReceiverNames(service), health)),
    signed_by: signedBy(model),
  };
}

/** Headers whose values are no secrets, unless the document computes them. */
const openHeaders = ["content-type", "webhook-id", "webhook-timestamp"];

function headersOf({ headers }: WebhookRequest, { events }: Model) {
  const computed = new Set(events.headers.map(({ name }) => name.toLowerCase()));
  return Object.entries(headers).map(([name, value]) => {
    const lower = name.toLowerCase();
    return { name, value: openHeaders.includes(lower) && !computed.has(lower) ? value : null };
  });
}

function toAttemptResponse({ number, startedAt, durationMs, status, error, answer }: AttemptRow) {
  const started = new Date(startedAt).toISOString();
  return { number, started, took_ms: durationMs, status, error, answer };
}

function letterOf({ channel, content }: DeliveryRow): DeliveryDetailResponse["letter"] {
  if (channel !== "email" || content === null) return null;
  const { to, subject, text } = JSON.parse(content) as NonNullable<DeliveryDetailResponse["letter"]>;
  return { to: [...to], subject, text };
}
