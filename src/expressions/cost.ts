/**
 * Evaluation cost limit. A step is one element that a macro visits, or one computed field or shape
 * that is entered. Nested macros multiply, so a few lines could otherwise run for minutes.
 */

/** Maximum number of steps of an evaluation. */
export const stepsMax = 100_000;

/** An evaluation exceeded the maximum number of steps, or the maximum length of a text. */
export class CostExceeded extends Error {
  override name = "CostExceeded";
  constructor() {
    super(`an expression was stopped after ${stepsMax} steps`);
  }
}

/** Unlimited between evaluations, so that steps outside of them don't add up. */
let stepsLeft = Number.POSITIVE_INFINITY;

/** Counts steps of the running evaluation. Evaluation is synchronous, so a single counter is enough. */
export function countSteps(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new CostExceeded();
}

/**
 * Runs an evaluation with the full number of steps. Afterwards an outer evaluation (a port may evaluate) continues
 * with its own.
 */
export function withinCost<A extends readonly unknown[], T>(work: (...args: A) => T): (...args: A) => T {
  return (...args) => {
    const outer = stepsLeft;
    stepsLeft = stepsMax;
    try {
      return work(...args);
    } finally {
      stepsLeft = outer;
    }
  };
}

/**
 * Maximum nesting of shapes or computed fields: a tree of values may be as deep as accepted JSON.
 */
const depthMax = 64;

let depth = 0;

/** Enters a computed field or a shape. The caller must call `leave` afterwards. */
export function enter(): void {
  countSteps(1);
  if (depth >= depthMax) throw new CostExceeded();
  depth += 1;
}

export function leave(): void {
  depth -= 1;
}
