/**
 * Slots: the stretches around a cursor that a completion may replace, the longest first. A rule of
 * three words is one name, and a word of an expression is another.
 */
import { expressionAt, type ExpressionRegion, isProse, type Place } from "../place.ts";

export interface Slot {
  readonly kind: "key" | "piece" | "word" | "text";
  readonly start: number;
  readonly end: number;
  /** The text of the place if the slot is filled, which can be parsed. */
  form(word: string): string;
  /** The length of the text after the slot that is left out because it can't be parsed with it. */
  readonly dropped: number;
}

/** Characters that separate names in values and cells. */
const separators = /[,;|`\n]/;

export function slotsAt(text: string, offset: number, place: Place): readonly Slot[] {
  const plain = (word: string) => word;
  if (place.form === "prose" || isProse(place)) return [];
  if (place.form === "fence" && place.label !== "cel") return [];
  if (place.form === "key") {
    const hasColon = text[place.end] === ":";
    const form = hasColon ? plain : (word: string) => `${word}: x`;
    return [{ kind: "key", start: place.start, end: place.end, form, dropped: 0 }];
  }
  const expression = expressionAt(text, place, offset);
  if (!expression) {
    const all = [pieceAt(text, offset, place), wordAt(text, offset, /[\w.-]/), wordAt(text, offset, /\w/)];
    // Slots with the same stretch are equal, so one is enough.
    return all.filter((slot, at) => at === all.findIndex((candidate) => isSameStretch(slot, candidate)));
  }
  const open = openText(text, expression.start, offset);
  if (open !== undefined) {
    const close = /["\n`]/.exec(text.slice(offset, expression.end));
    const end = offset + (close?.index ?? expression.end - offset);
    const form = text[end] === '"' ? plain : (word: string) => `${word}"`;
    return [{ kind: "text", start: open + 1, end, form, dropped: 0 }];
  }
  const word = wordAt(text, offset, /\w/);
  return [word, closed(text, word, expression)];
}

function isSameStretch(a: Slot, b: Slot): boolean {
  return a.start === b.start && a.end === b.end;
}

/** The text from the last separator to the end of the word: one name may have several words. */
function pieceAt(text: string, offset: number, place: Place): Slot {
  let start = offset;
  while (start > place.start && !separators.test(text.charAt(start - 1))) start -= 1;
  while (start < offset && /\s/.test(text.charAt(start))) start += 1;
  const { end } = wordAt(text, offset, /[\w.-]/);
  return { kind: "piece", start, end, form: (word) => word, dropped: 0 };
}

function wordAt(text: string, offset: number, character: RegExp): Slot {
  let [start, end] = [offset, offset];
  while (start > 0 && character.test(text.charAt(start - 1))) start -= 1;
  while (character.test(text.charAt(end))) end += 1;
  return { kind: "word", start, end, form: (word) => word, dropped: 0 };
}

/** The quotation mark that opens the text with the offset. */
function openText(text: string, start: number, offset: number): number | undefined {
  let open: number | undefined;
  for (let at = start; at < offset; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') open = open === undefined ? at : undefined;
    else if (text[at] === "\n") open = undefined;
  }
  return open;
}

const pairs: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * The word as the end of its expression, with all brackets closed, because the following text may
 * be incomplete.
 */
function closed(text: string, word: Slot, { start, end, isOpen }: ExpressionRegion): Slot {
  const open: string[] = [];
  let isText = false;
  for (const character of text.slice(start, word.start)) {
    if (character === '"') isText = !isText;
    if (isText) continue;
    if (pairs[character]) open.push(pairs[character]);
    else if (open.at(-1) === character) open.pop();
  }
  const closers = `${open.toReversed().join("")}${isOpen ? "`" : ""}`;
  return { ...word, form: (name) => `${name}${closers}`, dropped: Math.max(0, end - word.end) };
}
