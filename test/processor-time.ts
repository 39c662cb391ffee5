/**
 * Detects work that is worse than linear. It measures processor time, which a busy machine hardly
 * changes, against a generous bound. Quadratic work exceeds it by far, so that the result doesn't
 * depend on speed.
 */
import assert from "node:assert/strict";

/**
 * Ten times the slowest of these works on a slow machine, in milliseconds; quadratic work takes
 * minutes.
 */
const neverMs = 15_000;

/** Fails if the work takes longer than the bound; returns its result. */
export function soon<T>(name: string, work: () => T): T {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  const tookMs = (user + system) / 1000;
  assert.ok(tookMs < neverMs, `${name} took ${tookMs.toFixed(0)} ms of processor time`);
  return result;
}
