/**
 * Content of a webhook's delivery besides the event and its receiver, fixed when the event happens. It has the
 * payload in the receiver's own version (decision "The version of events"), and the receiver's record if the event's
 * own change deletes it. Most deliveries store nothing.
 */
import type { RecordDraft, RecordValue } from "../../expressions/value.ts";
import type { DueDelivery } from "../../store/deliveries.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { isHashed } from "../records/hidden-fields.ts";

export interface WebhookContent {
  /** In place of the event's own; byte for byte as it is sent. */
  readonly payload?: string;
  /** The last state of the receiver: the record no longer exists. */
  readonly record?: RecordValue;
  /** The request that has brought it about, where that is traced, as `traceparent` says it. */
  readonly trace?: string;
}

/** As stored with the delivery; null if nothing is stored. */
export function contentText(content: WebhookContent): string | null {
  const { payload, record, trace } = content;
  return (payload ?? record ?? trace) === undefined ? null : JSON.stringify(content);
}

export function contentOf({ channel, content }: Pick<DueDelivery, "channel" | "content">): WebhookContent {
  return channel !== "webhook" || content === null ? {} : (JSON.parse(content) as WebhookContent);
}

/** The content of the event for this receiver. */
export function payloadOf(delivery: Pick<DueDelivery, "channel" | "content" | "payload">): string {
  return contentOf(delivery).payload ?? delivery.payload;
}

/** A deleted record as far as addresses, secrets and headers may need it: hashes can't be sent, nor signed with. */
export function lastOf(record: RecordValue, { stored }: ResourcePlan): RecordValue {
  const last: RecordDraft = { "#row": record["#row"], "#revision": record["#revision"] };
  for (const { name, type } of stored) if (!isHashed(type)) last[name] = record[name] ?? null;
  return last;
}
