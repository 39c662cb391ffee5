/** Histogram with fixed bounds. Its size doesn't depend on the number of amounts. */

export class Histogram {
  /** Upper bounds in ascending order. */
  readonly bounds: readonly number[];
  /**
   * The number of amounts in each bucket: above the previous bound, and up to its own. The last
   * bucket has the amounts above all bounds.
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

/**
 * The index of the first bound that the amount doesn't exceed; the number of bounds if it exceeds
 * all.
 */
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
