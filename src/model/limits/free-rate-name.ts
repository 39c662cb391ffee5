/** Names for additional rates, which hints propose. */
import type { RateLimit } from "../model.ts";

/** The name, or the name with the lowest free number if another rate has it. */
export function freeRateName(rates: readonly RateLimit[], name: string): string {
  const used = new Set(rates.map((rate) => rate.name));
  let free = name;
  for (let number = 2; used.has(free); number += 1) free = `${name}-${number}`;
  return free;
}
