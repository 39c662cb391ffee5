/**
 * Mutation switches: a file's text with all its mutants in it, each behind a switch: `(__mutant(7)
 * ? (a !== b) : (a === b))`. Code that is loaded once then contains all mutants; a number selects
 * the active one at any time (`plant.ts`), and each switch records that it was reached.
 */
import type { Mutant } from "./mutants.ts";

export type NumberedMutant = Mutant & { readonly number: number };

/** @param mutants the mutants of this text */
export function withSwitches(text: string, mutants: readonly NumberedMutant[]): string {
  // From the outside in: of two that start at the same position, the longer one contains the other.
  const inOrder = mutants.toSorted((a, b) => a.start - b.start || b.end - a.end || a.number - b.number);
  let next = 0;
  /** The text of a span, with the mutants in it. */
  const written = (start: number, end: number): string => {
    let at = start;
    let out = "";
    while (next < inOrder.length && (inOrder[next] as NumberedMutant).start < end) {
      const outer = inOrder[next] as NumberedMutant;
      const same: NumberedMutant[] = [];
      while (inOrder[next]?.start === outer.start && inOrder[next]?.end === outer.end)
        same.push(inOrder[next++] as NumberedMutant);
      out += text.slice(at, outer.start);
      out += switched(same, written(outer.start, outer.end));
      at = outer.end;
    }
    return out + text.slice(at, end);
  };
  return written(0, text.length);
}

function switched(same: readonly NumberedMutant[], original: string): string {
  const conditions = same.map(({ number }) => `__mutant(${number})`);
  // In braces, because a following `else` may belong to an `if` around it.
  if (same.every(({ isStatement }) => isStatement))
    return `{ if (${conditions.map((condition) => `!${condition}`).join(" && ")}) ${original} }`;
  const ways = same.map(({ replacement }, place) => `${conditions[place]} ? (${replacement}) : `);
  return `(${ways.join("")}(${original}))`;
}
