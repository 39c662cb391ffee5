/** The stretch in which two texts differ, and the shift of the offsets after it. */
export interface TextShift {
  /** The replaced stretch of the old text, and how much longer its replacement is. */
  readonly from: number;
  readonly to: number;
  readonly added: number;
}

export function textShift(before: string, after: string): TextShift {
  let from = 0;
  const length = Math.min(before.length, after.length);
  while (from < length && before.charCodeAt(from) === after.charCodeAt(from)) from += 1;
  let same = 0;
  while (
    same < length - from &&
    before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)
  )
    same += 1;
  return { from, to: before.length - same, added: after.length - before.length };
}
