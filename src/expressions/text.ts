/**
 * Texts by code points (decision "Text by code points"): order, length and substrings mean the same
 * here as in every database.
 */

/** Negative, zero or positive: the order of code points, which is also that of the UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    // UTF-16 orders surrogates (U+10000 and beyond) before U+E000 to U+FFFF. Code points are ordered the other way
    // round.
    if (left >= 0xd800 && right >= 0xd800) {
      const leftIsSurrogate = left < 0xe000;
      if (leftIsSurrogate !== right < 0xe000) return leftIsSurrogate ? 1 : -1;
    }
    return left - right;
  }
  return a.length - b.length;
}

export function codePointLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(at + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      length -= 1;
      at += 1;
    }
  }
  return length;
}

/** The code points from `from` to `to` (exclusive). Null if the positions don't lie within the text in this order. */
export function codePointSlice(text: string, from: number, to?: number): string | null {
  const length = codePointLength(text);
  const end = to ?? length;
  if (from < 0 || end > length || from > end) return null;
  if (length === text.length) return text.slice(from, end);
  return Array.from(text).slice(from, end).join("");
}

/** Lower case for ASCII characters only, which is what `any case` compares. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}
