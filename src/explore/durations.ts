/**
 * Lengths of time that a document distinguishes: those of timers, of keys and of tokens, and
 * moments around each.
 */
import type { Model } from "../model/model.ts";

const secondMs = 1_000;
/** On one clock, a second makes the difference. */
const exactSeconds = [-1, 0, 1];
/**
 * Where requests take their time, some seconds must be left. The two differ, so that a time from
 * just before and one from just after don't add up to a length that is a multiple of it.
 */
export const distantSeconds: readonly number[] = [-7, 11];
const dayMs = 86_400_000;
/** A longer time isn't drawn: a timer that repeats would fire too often in it. */
const durationMsMax = 400 * dayMs;

/** @param around the seconds by which each is shorter or longer */
export function durationsOf(
  { resources, endpoints, authentication }: Model,
  around: readonly number[] = exactSeconds,
): readonly number[] {
  const ends = resources.flatMap(({ states }) => (states?.transitions ?? []).flatMap((one) => one.ends));
  const exact = [
    ...ends.flatMap(({ trigger }) => (trigger.kind === "after" ? [trigger.milliseconds] : [])),
    ...endpoints.flatMap(({ idempotency }) => idempotency?.milliseconds ?? []),
    ...authentication.schemes.flatMap(({ lifetimeMs }) => lifetimeMs ?? []),
    ...resources.flatMap(({ kept }) => kept?.milliseconds ?? []),
  ];
  // A time that a field holds may be any: those that values are drawn of.
  const drawn = ends.some(({ trigger }) => trigger.kind === "at") ? [3_600_000, dayMs, 10 * dayMs] : [];
  const all = [...exact, ...drawn].flatMap((length) => {
    const seconds = Math.ceil(length / secondMs);
    return around.map((more) => (seconds + more) * secondMs);
  });
  return [...new Set(all)].filter((length) => length > 0 && length <= durationMsMax);
}
