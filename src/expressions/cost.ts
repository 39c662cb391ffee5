/**
 * Evaluation cost limit. A step is one element that a macro visits, or one computed field or shape
 * that is entered. Nested macros multiply, so a few lines could otherwise run for minutes.
 */

/** Most steps of one evaluation. */
export const stepsMax = 100_000;

/** An evaluation took more steps, or made a longer text, than any honest expression needs. */
export class CostExceeded extends Error {
  override name = "CostExceeded";
  constructor() {
    super(`an expression was given up after ${stepsMax} steps`);
  }
}

/** Without bounds between evaluations, so that nothing wears out over many of them. */
let stepsLeft = Number.POSITIVE_INFINITY;

/** Counts steps of the evaluation that is running. Evaluation is synchronous, so one counter serves all. */
export function spend(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new CostExceeded();
}

/** Runs one evaluation with a full purse, and gives the outer one (a port may evaluate) its own back. */
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

/** Goes into a computed field or a shape; `leave` must follow. */
export function enter(): void {
  spend(1);
  if (depth >= depthMax) throw new CostExceeded();
  depth += 1;
}

export function leave(): void {
  depth -= 1;
}
