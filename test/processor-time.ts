/**
 * Processor time limit: detects work that is worse than linear. It measures processor time, which a
 * busy machine hardly changes, against a generous limit. Quadratic work exceeds it by far, so the
 * result doesn't depend on speed.
 */
import assert from "node:assert/strict";

/**
 * The limit in milliseconds: ten times the slowest of these works on a slow machine. Quadratic work
 * takes minutes.
 */
const neverMs = 15_000;

/** Fails if the work takes longer than the limit; returns its result. */
export function soon<T>(name: string, work: () => T): T {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  const tookMs = (user + system) / 1000;
  assert.ok(tookMs < neverMs, `${name} took ${tookMs.toFixed(0)} ms of processor time`);
  return result;
}
