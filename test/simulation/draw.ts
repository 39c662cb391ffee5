/** What a seed decides: numbers, choices, and seeds of their own for what is decided apart from it. */
import { createChance } from "../streams/chance.ts";

export interface Draw {
  /** A whole number from 0 up to, and without, `below`. */
  below(below: number): number;
  oneOf<T>(choices: readonly T[]): T;
  /** Whether something that happens so many times of a hundred happens. */
  happens(percent: number): boolean;
}

export function createDraw(seed: number): Draw {
  const chance = createChance(seed);
  // The first numbers of neighbouring seeds are alike.
  chance(2);
  chance(2);
  return {
    below: (below) => chance(below),
    oneOf: (choices) => choices[chance(choices.length)] as never,
    happens: (percent) => chance(100) < percent,
  };
}

/** The seed of one thing of a story, the same whatever else is in the story. */
export function seedOf(seed: number, ...names: readonly (string | number)[]): number {
  let state = seed >>> 0;
  for (const character of names.join(" "))
    state = Math.imul(state ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0;
}
