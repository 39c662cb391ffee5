/**
 * Shrinks a failing case: removes requests, records, sections and lines for as long as the case
 * violates the same invariant.
 */
import { type Case, type Failure, runCase } from "./case.ts";
import type { Kind } from "./worlds.ts";

export interface Shrunk {
  readonly case: Case;
  readonly failure: Failure;
}

export interface ShrinkOptions {
  readonly triesMax?: number;
  /** Runs a case and returns its failures. */
  readonly judge?: typeof runCase;
}

export async function shrunk(
  made: Case,
  failure: Failure,
  kinds: readonly Kind[],
  { triesMax = 600, judge = runCase }: ShrinkOptions = {},
): Promise<Shrunk> {
  let best = made;
  let last = failure;
  let tries = 0;
  const isBroken = async (candidate: Case): Promise<boolean> => {
    tries += 1;
    if (tries > triesMax) return false;
    try {
      const outcome = await judge(candidate, kinds);
      const found = outcome?.failures.find((other) => other.invariant === failure.invariant);
      if (found) last = found;
      return found !== undefined;
    } catch {
      return false;
    }
  };
  for (let size = -1; size !== sizeOf(best) && tries < triesMax; ) {
    size = sizeOf(best);
    best = { ...best, requests: await fewer(best.requests, (requests) => isBroken({ ...best, requests })) };
    best = { ...best, text: await fewerSections(best.text, (text) => isBroken({ ...best, text })) };
    best = { ...best, givens: await fewer(best.givens, (givens) => isBroken({ ...best, givens })) };
    best = { ...best, text: await fewerLines(best.text, (text) => isBroken({ ...best, text })) };
  }
  await isBroken(best);
  return { case: best, failure: last };
}

function sizeOf({ text, givens, requests }: Case): number {
  return text.length + givens.length + requests.length;
}

/** Tries the list without halves, quarters, … and single items, from the end backwards. */
async function fewer<T>(
  all: readonly T[],
  isBroken: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let left = all;
  for (let size = Math.ceil(all.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = Math.max(0, left.length - size); left.length > 0; from -= size) {
      const some = [...left.slice(0, Math.max(0, from)), ...left.slice(Math.max(0, from) + size)];
      if (some.length < left.length && (await isBroken(some))) left = some;
      if (from <= 0) break;
    }
  }
  return left;
}

async function fewerSections(text: string, isBroken: (text: string) => Promise<boolean>): Promise<string> {
  // The heading of a part is kept.
  const pieces = text.split(/^(?=#{2,3} )/m);
  const isDroppable = (piece: string) => piece.startsWith("### ");
  return joined(pieces, isDroppable, isBroken);
}

async function fewerLines(text: string, isBroken: (text: string) => Promise<boolean>): Promise<string> {
  return joined(text.split(/(?<=\n)/), (line) => line !== "\n" && !line.startsWith("#"), isBroken);
}

async function joined(
  pieces: readonly string[],
  isDroppable: (piece: string) => boolean,
  isBroken: (text: string) => Promise<boolean>,
): Promise<string> {
  const numbered = pieces.map((piece, at) => ({ piece, at }));
  const kept = numbered.filter(({ piece }) => !isDroppable(piece));
  const textWith = (some: readonly { readonly piece: string; readonly at: number }[]) =>
    [...kept, ...some]
      .toSorted((a, b) => a.at - b.at)
      .map(({ piece }) => piece)
      .join("");
  const left = await fewer(
    numbered.filter(({ piece }) => isDroppable(piece)),
    (some) => isBroken(textWith(some)),
  );
  return textWith(left);
}
