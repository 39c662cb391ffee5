/** Where texts that begin alike stand in the order of texts, so that an index finds them. */
import { lowerAscii } from "../../expressions/text.ts";

export interface PrefixRange {
  readonly from: string;
  /** The first text behind all of them; absent where none is. */
  readonly below?: string;
}

const codePointMax = 0x10ffff;

/**
 * The texts with that beginning and no others, in the order of code points, or in the same past ASCII case.
 * @param prefix not empty
 */
export function prefixRange(prefix: string, isAnyCase: boolean): PrefixRange {
  const from = isAnyCase ? lowerAscii(prefix) : prefix;
  const points = Array.from(from, (one) => one.codePointAt(0) as number);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last < codePointMax) return { from, below: String.fromCodePoint(...points, behind(last, isAnyCase)) };
  }
  return { from };
}

function behind(point: number, isAnyCase: boolean): number {
  const next = point + 1;
  // Past case there are no capitals: what stands behind "@" is "[".
  if (isAnyCase && next === 0x41) return 0x5b;
  return next === 0xd800 ? 0xe000 : next;
}
