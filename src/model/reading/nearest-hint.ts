/** Hints for an unknown name: the nearest known name, and some of the known names. */
import { nearest } from "../../support/nearest.ts";

/** Parameters of every "unknown name" code: the most similar known name, and some of the known names. */
export interface Nearest {
  readonly nearest: string | undefined;
  readonly known: readonly string[];
}

/** Limits a hint to one line. */
const knownMax = 12;

export function nearestHint(name: string, known: Iterable<string>): Nearest {
  const all = [...known];
  return { nearest: nearest(name, all), known: all.slice(0, knownMax) };
}
