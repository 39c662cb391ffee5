/**
 * Signature check of the built-in receiver: verifies a received request as a receiver should, by
 * the document's scheme and the stored secret. Standard Webhooks are verified from the received
 * bytes alone. To verify the document's own headers, it builds the request again for the same time.
 * Secrets stay here.
 */
import { timingSafeEqual } from "node:crypto";
import type { DueDelivery } from "../../store/deliveries.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { standardSignature } from "./signature.ts";
import type { DeliveryInProgress, DeliveriesInProgress } from "./deliveries-in-progress.ts";
import type { BuiltRequest, BuildWebhookRequest } from "./webhook-request.ts";

export interface ReceivedWebhook {
  readonly path: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface SignatureVerdict {
  /** The delivery's identifier; null if no delivery in progress has it. */
  readonly delivery: string | null;
  readonly event: { readonly id: string; readonly type: string } | null;
  /** `unsigned`: the document states neither a signature nor headers of its own. */
  readonly signature: "fits" | "does not fit" | "unsigned" | "not ours";
  /** The scheme: `Standard Webhooks`, or the names of the document's own headers. */
  readonly scheme: string | null;
  /** The difference, as text; null if the signature is valid. */
  readonly failure: string | null;
  /** Masks hidden values in a text. */
  mask(text: string): string;
}

export type CheckSignature = (arrived: ReceivedWebhook) => Promise<SignatureVerdict>;

export function createSignatureCheck(
  { model }: PlanContext,
  make: BuildWebhookRequest,
  inProgress: DeliveriesInProgress,
): CheckSignature {
  const { signature, headers } = model.events;
  const own = headers.map(({ name }) => name);
  const scheme = [...(signature ? ["Standard Webhooks"] : []), ...own].join(", ") || null;

  /** Returns why the received request differs from the sent one; null if it doesn't. */
  const failureOf = (arrived: ReceivedWebhook, made: BuiltRequest): string | null => {
    if (made.kind !== "made") return made.error;
    if (signature) {
      const wrong = standardFailure(arrived, made.secrets);
      if (wrong !== null) return wrong;
    }
    if (!Buffer.from(made.request.body).equals(arrived.body))
      return "the body differs from the one that was sent";
    const wrong = own.filter((name) => made.request.headers[name] !== arrived.headers[name.toLowerCase()]);
    return wrong.length === 0 ? null : `${wrong.join(", ")} should have another value`;
  };

  return async (arrived) => {
    const candidates = candidatesOf(arrived, inProgress);
    let failure = "no delivery to this address is in progress";
    let mask = (text: string) => text;
    for (const sent of candidates) {
      const made = await make(sent.delivery, sent.nowMs);
      mask = maskOf(made);
      const wrong = failureOf(arrived, made);
      if (wrong === null) {
        const signature = scheme ? "fits" : "unsigned";
        return { ...described(sent.delivery), scheme, signature, failure: null, mask };
      }
      failure = wrong;
    }
    const [only] = candidates.length === 1 ? candidates : [];
    if (only) return { ...described(only.delivery), scheme, signature: "does not fit", failure, mask };
    return { delivery: null, event: null, scheme, signature: "not ours", failure, mask };
  };
}

function maskOf(made: BuiltRequest): (text: string) => string {
  const hidden = made.kind === "made" ? made.hidden : [];
  return (text) => hidden.reduce((masked, secret) => masked.replaceAll(secret, "•••"), text);
}

/**
 * Returns the deliveries that the request may belong to: with Standard Webhooks, the delivery with
 * its identifier.
 */
function candidatesOf(
  { path, headers }: ReceivedWebhook,
  inProgress: DeliveriesInProgress,
): readonly DeliveryInProgress[] {
  const all = inProgress.to(path);
  const named = all.filter(({ delivery }) => delivery.id === headers["webhook-id"]);
  return named.length > 0 ? named : all;
}

function described({ id, eventId, eventType }: DueDelivery) {
  return { delivery: id, event: { id: eventId, type: eventType } };
}

/** Verifies as a receiver does: the received bytes, with the values of their headers. */
function standardFailure({ headers, body }: ReceivedWebhook, secrets: readonly string[]): string | null {
  const [id, seconds, received] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
    (name) => headers[name],
  );
  if (id === undefined || seconds === undefined || received === undefined)
    return "webhook-id, webhook-timestamp or webhook-signature is missing";
  if (!/^\d{1,12}$/.test(seconds)) return "webhook-timestamp is not a number of seconds";
  const expected = standardSignature(secrets, id, Number(seconds), Buffer.from(body).toString("utf8"));
  const isGood = (expected?.split(" ") ?? []).some((candidate) =>
    received.split(" ").some((signature) => isSame(candidate, signature)),
  );
  return isGood ? null : "webhook-signature belongs to another secret or another body";
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
