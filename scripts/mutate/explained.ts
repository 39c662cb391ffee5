/**
 * Faults that no test can notice, or that none should, and why: they are counted by themselves. Each is found by the line on which it stands
 * and by what it makes of it, wherever that line goes.
 */

export interface Explained {
  readonly file: string;
  /** The source's line on which the fault begins, without what is around it. */
  readonly line: string;
  /** As the tool tells it. */
  readonly fault: string;
  readonly reason: string;
}

export const explained: readonly Explained[] = [];
