/**
 * Delivery schedule: decides after an attempt whether a delivery is done, retried at a time, or
 * given up. It is pure, so that a test can compute every schedule. The status decides, as in
 * Standard Webhooks: only 2xx is success, 410 disables the receiver, and 429, 502 and 504 mean
 * overload.
 */
import type { AttemptNote, DeliveryRow } from "../../store/deliveries.ts";
import { senderLimits } from "./limits.ts";

/** The result of one attempt that a channel reports. */
export type AttemptOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAfter?: string;
      readonly revision?: number;
      /** The start of the response's body, if it is text. */
      readonly answer?: string;
      /** The headers of the response by lower-case name. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Why there was no response, as text. */
  | { readonly kind: "failed"; readonly error: string }
  /** The receiver no longer exists and won't return: nothing was sent. */
  | { readonly kind: "gone"; readonly error: string };

export interface RetryPolicy {
  /**
   * Pauses after each failed attempt, in milliseconds. After the last pause's attempt, the delivery
   * is given up.
   */
  readonly pausesMs: readonly number[];
  /** Maximum part of a pause that is added at random. */
  readonly jitter: number;
}

/**
 * Decides what happens after an attempt.
 * @param chance in [0, 1), for the jitter
 */
export function scheduleAfter(
  delivery: Pick<DeliveryRow, "number" | "attempts">,
  outcome: AttemptOutcome,
  policy: RetryPolicy,
  nowMs: number,
  chance: () => number,
): AttemptNote {
  const { number } = delivery;
  const status = outcome.kind === "answered" ? outcome.status : null;
  const finished = { number, at: nowMs, dueAt: null, status };
  if (status !== null && status >= 200 && status <= 299) return { ...finished, state: "done", error: null };
  const error = outcome.kind === "answered" ? `answered ${status}` : shortened(outcome.error);
  if (outcome.kind === "gone") return { ...finished, state: "dead", error };
  if (outcome.kind === "answered" && status === 410 && outcome.revision !== undefined)
    return { ...finished, state: "dead", error, disabledRevision: outcome.revision };
  const pauseMs = policy.pausesMs[delivery.attempts];
  const requestedMs = outcome.kind === "answered" ? retryAfterMs(outcome.retryAfter, nowMs) : undefined;
  const throttledMs = throttleOf(status, requestedMs, pauseMs);
  const throttled = throttledMs === undefined ? {} : { throttledUntil: nowMs + throttledMs };
  if (pauseMs === undefined) return { ...finished, ...throttled, state: "dead", error };
  const withJitter = policy.jitter === 0 ? pauseMs : pauseMs + Math.floor(chance() * policy.jitter * pauseMs);
  const dueAt = nowMs + Math.max(withJitter, requestedMs ?? 0);
  return { ...finished, ...throttled, state: "open", dueAt, error };
}

/** Returns how long an overloaded receiver receives nothing, in milliseconds. */
function throttleOf(
  status: number | null,
  requestedMs: number | undefined,
  pauseMs: number | undefined,
): number | undefined {
  const isOverloaded = status === 429 || status === 502 || status === 504;
  if (requestedMs !== undefined) return isOverloaded || status === 503 ? requestedMs : undefined;
  return isOverloaded
    ? Math.min(pauseMs ?? senderLimits.throttleMsMax, senderLimits.throttleMsMax)
    : undefined;
}

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. An invalid value counts as absent.
 */
function retryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const ms = /^\d{1,10}$/.test(trimmed)
    ? Number(trimmed) * 1000
    : /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(trimmed)
      ? Date.parse(trimmed) - nowMs
      : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  return Math.min(Math.max(ms, 0), senderLimits.retryAfterMsMax);
}

function shortened(text: string): string {
  return text.length <= senderLimits.errorLengthMax
    ? text
    : `${text.slice(0, senderLimits.errorLengthMax - 1)}…`;
}
