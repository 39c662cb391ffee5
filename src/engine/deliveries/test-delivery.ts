/**
 * Test delivery: sends an event of the log to one receiver at once, with a signature like any
 * other. The result isn't stored, so that a test changes neither the health of the receiver nor its
 * schedule.
 */
import type { DueDelivery, Receiver } from "../../store/deliveries.ts";
import type { Store } from "../../store/store.ts";
import type { Ports } from "../ports.ts";
import type { Channels } from "./channel.ts";

/** The record that receives deliveries. */
export type ReceiverRecord = Omit<Receiver, "channel">;

/** The result of a test; the status is null if there was no response. */
export interface TestedDelivery {
  readonly id: string;
  readonly tookMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
}

export interface TestParts {
  readonly store: Store;
  readonly ports: Ports;
  readonly channels: Channels;
}

export async function testDelivery(
  { store, ports, channels }: TestParts,
  receiver: ReceiverRecord,
  eventId: string,
): Promise<TestedDelivery> {
  const id = `test_${Buffer.from(ports.randomBytes(12)).toString("hex")}`;
  const event = await store.session.system.eventOf(eventId);
  const failed = (error: string) => ({ id, tookMs: 0, status: null, error, answer: null });
  if (!event) return failed("the event is not in the log");
  if (!channels.webhook) return failed("the document has no webhooks");
  const now = ports.clock.now();
  const delivery: DueDelivery = {
    ...receiver,
    id,
    channel: "webhook",
    number: 0,
    state: "open",
    attempts: 0,
    event: event.sequence,
    eventId: event.id,
    eventType: event.type,
    eventTime: event.time,
    subject: event.subject,
    payload: event.payload,
    content: null,
    queue: null,
    record: null,
    createdAt: now,
    dueAt: now,
    lastAt: null,
    endedAt: null,
    status: null,
    error: null,
  };
  const clock = ports.machine ?? ports.clock;
  const startedMs = clock.now();
  // The document's own time limit applies to the request.
  const outcome = await channels.webhook.attempt(delivery, new AbortController().signal);
  const result = { id, tookMs: clock.now() - startedMs };
  return outcome.kind === "answered"
    ? { ...result, status: outcome.status, error: null, answer: outcome.answer ?? null }
    : { ...result, status: null, error: outcome.error, answer: null };
}
