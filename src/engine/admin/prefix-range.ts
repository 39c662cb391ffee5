/**
 * Prefix ranges: the range of texts with a common prefix in sort order, so that an index finds
 * them.
 */
import { lowerAscii } from "../../expressions/text.ts";

export interface PrefixRange {
  readonly from: string;
  /** The first text after the range; absent if there is none. */
  readonly below?: string;
}

const codePointMax = 0x10ffff;

/**
 * Returns the range of the texts with that prefix, in code-point order, or in the same order
 * without ASCII case.
 * @param prefix not empty
 */
export function prefixRange(prefix: string, isAnyCase: boolean): PrefixRange {
  const from = isAnyCase ? lowerAscii(prefix) : prefix;
  const points = Array.from(from, (text) => text.codePointAt(0) as number);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last < codePointMax) return { from, below: String.fromCodePoint(...points, behind(last, isAnyCase)) };
  }
  return { from };
}

function behind(point: number, isAnyCase: boolean): number {
  const next = point + 1;
  // Without case there are no capitals, so "[" follows "@".
  if (isAnyCase && next === 0x41) return 0x5b;
  return next === 0xd800 ? 0xe000 : next;
}
