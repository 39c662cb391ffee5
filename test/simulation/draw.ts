/** Random draws of a seed: numbers, choices, and separate seeds for independent decisions. */
import { createChance } from "../streams/chance.ts";

export interface Draw {
  /** A whole number from 0 to `below`, exclusive. */
  below(below: number): number;
  oneOf<T>(choices: readonly T[]): T;
  /** True in this percentage of cases. */
  happens(percent: number): boolean;
}

export function createDraw(seed: number): Draw {
  const chance = createChance(seed);
  // Skips the first number, because consecutive seeds have similar ones.
  chance(2);
  chance(2);
  return {
    below: (below) => chance(below),
    oneOf: (choices) => choices[chance(choices.length)] as never,
    happens: (percent) => chance(100) < percent,
  };
}

/** The seed of one part of a story, independent of the other parts. */
export function seedOf(seed: number, ...names: readonly (string | number)[]): number {
  let state = seed >>> 0;
  for (const character of names.join(" "))
    state = Math.imul(state ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0;
}
