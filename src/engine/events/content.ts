/**
 * Webhook content: the stored part of a webhook delivery in addition to its event and receiver,
 * fixed when the event happens. It has the payload in the receiver's own version (decision "The
 * version of events"). It has the receiver's record if the event's own change deletes that record.
 * Most deliveries store nothing.
 */
import type { RecordDraft, RecordValue } from "../../expressions/value.ts";
import type { DueDelivery } from "../../store/deliveries.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { isHashed } from "../records/hidden-fields.ts";

export interface WebhookContent {
  /** Replaces the event's own payload; sent byte for byte. */
  readonly payload?: string;
  /** The last state of the receiver's record, if the record no longer exists. */
  readonly record?: RecordValue;
  /** The trace of the request that caused the event, as a `traceparent` text. */
  readonly trace?: string;
}

/** Returns the text that is stored with the delivery; null if nothing is stored. */
export function contentText(content: WebhookContent): string | null {
  const { payload, record, trace } = content;
  return (payload ?? record ?? trace) === undefined ? null : JSON.stringify(content);
}

export function contentOf({ channel, content }: Pick<DueDelivery, "channel" | "content">): WebhookContent {
  return channel !== "webhook" || content === null ? {} : (JSON.parse(content) as WebhookContent);
}

/** Returns the payload of the event for this receiver. */
export function payloadOf(delivery: Pick<DueDelivery, "channel" | "content" | "payload">): string {
  return contentOf(delivery).payload ?? delivery.payload;
}

/**
 * Returns the fields of a deleted record that addresses, secrets and headers may read. Hashes are
 * excluded, because a service can neither send them nor sign with them.
 */
export function lastValues(record: RecordValue, { stored }: ResourcePlan): RecordValue {
  const last: RecordDraft = { "#row": record["#row"], "#revision": record["#revision"] };
  for (const { name, type } of stored) if (!isHashed(type)) last[name] = record[name] ?? null;
  return last;
}
