/** Histogram with fixed bounds. Its size doesn't depend on the number of amounts. */

export class Histogram {
  /** Upper bounds, the smallest first. */
  readonly bounds: readonly number[];
  /**
   * How many didn't exceed each bound, and at last those that exceeded all; each counted once, at
   * the first bound that holds it.
   */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array(bounds.length + 1).fill(0);
  }

  add(amount: number): void {
    const index = bucketIndex(this.bounds, amount);
    this.counts[index] = (this.counts[index] as number) + 1;
    this.sum += amount;
  }
}

/** Index of the first bound that is not exceeded; after the last one if all are. */
export function bucketIndex(bounds: readonly number[], amount: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (amount <= (bounds[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}
