/**
 * Durations that a document distinguishes: of timers, keys, tokens and expressions, and moments
 * just before and after each.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import type { Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";

const secondMs = 1_000;
/** On a shared clock, the bound is exact to the second. */
const exactSeconds = [-1, 0, 1];
/**
 * Requests over a network take seconds, so the offsets leave room. They differ, so that a time just
 * before and one just after a bound don't add up to a multiple of it.
 */
export const distantSeconds: readonly number[] = [-7, 11];
const dayMs = 86_400_000;
/**
 * The maximum duration, in milliseconds. A repeating timer would fire too often in a longer one.
 */
const durationMsMax = 400 * dayMs;

/** The maximum number of durations of expressions. */
const ofExpressionsMax = 12;

/** The durations that expressions of a document state: `now + duration("10m")`. In milliseconds. */
export const expressionDurations = memoizeBy(({ resources, endpoints }: Model): readonly number[] => {
  const found = new Set<number>();
  for (const { expression } of [resources, endpoints].flatMap(expressionsIn))
    for (const node of nodesWithin(expression.node)) {
      const isDuration = node.op === "literal" && node.type.kind === "duration";
      if (isDuration && typeof node.value === "number" && node.value > 0) found.add(node.value);
    }
  return [...found].slice(0, ofExpressionsMax);
});

/** @param around offsets from each duration, in seconds */
export function durationsOf(model: Model, around: readonly number[] = exactSeconds): readonly number[] {
  const { resources, endpoints, authentication } = model;
  const ends = resources.flatMap(({ states }) =>
    (states?.transitions ?? []).flatMap((transition) => transition.ends),
  );
  const exact = [
    ...ends.flatMap(({ trigger }) => (trigger.kind === "after" ? [trigger.milliseconds] : [])),
    ...endpoints.flatMap(({ idempotency }) => idempotency?.milliseconds ?? []),
    ...authentication.schemes.flatMap(({ lifetimeMs }) => lifetimeMs ?? []),
    ...resources.flatMap(({ kept }) => kept?.milliseconds ?? []),
    ...expressionDurations(model),
  ];
  // A field with a time can hold any, so the durations are those of drawn values.
  const drawn = ends.some(({ trigger }) => trigger.kind === "at") ? [3_600_000, dayMs, 10 * dayMs] : [];
  const all = [...exact, ...drawn].flatMap((length) => {
    const seconds = Math.ceil(length / secondMs);
    return around.map((more) => (seconds + more) * secondMs);
  });
  return [...new Set(all)].filter((length) => length > 0 && length <= durationMsMax);
}
