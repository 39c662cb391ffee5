/**
 * Distinguishes what is worse than linear from what is only slow. It measures the processor's time,
 * which a busy machine hardly changes, against a generous bound. What grows with the square of its
 * input exceeds it by far, so that timings never decide.
 */
import assert from "node:assert/strict";

/** Ten times what the slowest of these works take on a slow machine, in milliseconds; what it is meant to catch takes minutes. */
const neverMs = 15_000;

/** Fails when the work takes longer than any machine needs for it. Answers what the work answers. */
export function soon<T>(name: string, work: () => T): T {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  const tookMs = (user + system) / 1000;
  assert.ok(tookMs < neverMs, `${name} took ${tookMs.toFixed(0)} ms of processor time`);
  return result;
}
