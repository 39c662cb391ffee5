/** Terminal-safe text: replaces control characters, and measures display width. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
const unprintable = /[\u0000-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g;

/**
 * Replaces control characters, which could move the cursor or reverse the reading order. A tab
 * becomes a blank, the others `�`.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => (character === "\t" ? " " : "\uFFFD"));
}

const noWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
// Hangul, kana, CJK, full-width forms and emoji take two columns.
const twoColumns =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}]$/u;

/** The number of terminal columns of a text, approximately. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (character < "\u0300") width += 1;
    else if (!noWidth.test(character)) width += twoColumns.test(character) ? 2 : 1;
  }
  return width;
}
