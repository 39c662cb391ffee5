/** Undelivered reason: why an event has no receiver, and which record would receive it. */
import { type Static, Type } from "typebox";
import {
  type NoRecipientReason,
  reasonWithoutRecipients,
  reasonNothingSent,
} from "../../../engine/admin/no-recipients.ts";
import { subscribable } from "../../../engine/admin/subscription.ts";
import type { Service } from "../../../engine/service.ts";
import type { LoggedEvent } from "../../../store/store.ts";
import type { Json } from "../../../support/json.ts";
import { currentRecord } from "../../requests/current-record.ts";
import { fields, nullable } from "../routing/route.ts";

export type UndeliveredReasonResponse = Static<typeof undeliveredReasonSchema>;

export const undeliveredReasonSchema = fields({
  why: Type.String(),
  line: Type.Integer({ description: "of the document: what decides it" }),
  subscriber: nullable(
    Type.String({ description: "a resource whose records webhooks go to; null where none can be made" }),
  ),
});

/** Explains why the service has sent nothing at all. */
export async function toNothingSentResponse(service: Service): Promise<UndeliveredReasonResponse> {
  return withSubscriber(await reasonNothingSent(service), service);
}

/** Explains why one event was not delivered. */
export async function toUndeliveredReasonResponse(
  service: Service,
  event: LoggedEvent,
): Promise<UndeliveredReasonResponse> {
  const payload = JSON.parse(event.payload) as Json;
  const { id, type, time, subject } = event;
  const reason = await reasonWithoutRecipients(service, {
    id,
    type,
    time,
    subject,
    payload,
    record: await recordOf(service, event),
  });
  return withSubscriber(reason, service, type);
}

/** The present state of the record of an event; null if the record was deleted. */
export async function recordOf(service: Service, { resource, row }: Pick<LoggedEvent, "resource" | "row">) {
  if (!service.model.resources.some(({ name }) => name === resource)) return null;
  const value = await currentRecord(service, resource, row);
  return value && { resource, value };
}

function withSubscriber(
  { why, line }: NoRecipientReason,
  service: Service,
  type?: string,
): UndeliveredReasonResponse {
  return { why, line, subscriber: subscribable(service, type)?.resource ?? null };
}
