/** Seeded random choices: the same seed gives the same stories on every machine. */
export interface Draw {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** Undefined for an empty list. */
  oneOf<T>(choices: readonly T[]): T | undefined;
  /** True with this probability, in percent. */
  happens(percent: number): boolean;
}

/** Uses mulberry32, because its state is one number. */
export function createDraw(seed: number): Draw {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    oneOf: (choices) => choices[below(choices.length)],
    happens: (percent) => below(100) < percent,
  };
}
