/**
 * Captures in scenarios: `{{name}}`, `{{name: integer}}`, `{{*}}`, `{{*: timestamp}}`,
 * `{{absent}}`, `{{run}}`. They are found here, for the checks of part 1 and for the scenario
 * runner, which interprets them.
 */
import { plainKinds } from "../../expressions/type.ts";

export interface Capture {
  /** Index of `{{` in the text, and of what follows `}}`. */
  readonly from: number;
  readonly to: number;
  readonly name: string;
  /** The type of the value, if the capture states one. */
  readonly type?: string;
}

/** The types that a capture may require: the plain ones of part 2, and JSON's own. */
export const captureTypes = [...plainKinds, "list", "object", "null"] as const;

/** Words with a special meaning: any value, a key that must be absent, a text that is new in each run. */
export const captureWords = { anything: "*", absent: "absent", run: "run" } as const;

// No part of it can match in two ways, so matching takes linear time.
const pattern = /\{\{[ \t]*(\*|[A-Za-z_][A-Za-z0-9_]*)[ \t]*(?::[ \t]*([A-Za-z]+)[ \t]*)?\}\}/y;

/** All captures of a text, in order. `unreadable` are ranges `{{…}}` that aren't captures. */
export function readCaptures(text: string): {
  captures: Capture[];
  unreadable: { from: number; to: number }[];
} {
  const captures: Capture[] = [];
  const unreadable: { from: number; to: number }[] = [];
  let at = text.indexOf("{{");
  while (at !== -1) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) {
      const type = match[2];
      captures.push({
        from: at,
        to: pattern.lastIndex,
        name: match[1] as string,
        ...(type === undefined ? {} : { type }),
      });
      at = text.indexOf("{{", pattern.lastIndex);
      continue;
    }
    // In plain JSON, two braces are never followed by a word, so a word without `}}` is a mistake.
    const slip = /^\{\{[ \t]*[\w*][^{}"\n]*(?:\}\}?)?/.exec(text.slice(at, at + 100));
    if (slip) unreadable.push({ from: at, to: at + slip[0].length });
    at = text.indexOf("{{", at + 2);
  }
  return { captures, unreadable };
}

/**
 * The text as JSON: a bare capture becomes `null` with blanks of the same length, so that positions
 * stay valid. A capture within a string is left unchanged.
 */
export function withoutBareCaptures(text: string): string {
  const { captures } = readCaptures(text);
  if (captures.length === 0) return text;
  const pieces: string[] = [];
  let copied = 0;
  let inString = false;
  let at = 0;
  for (const capture of captures) {
    for (; at < capture.from; at += 1) {
      if (inString && text[at] === "\\") at += 1;
      else if (text[at] === '"') inString = !inString;
    }
    if (inString) continue;
    pieces.push(text.slice(copied, capture.from), "null".padEnd(capture.to - capture.from));
    copied = capture.to;
    at = capture.to;
  }
  return pieces.join("") + text.slice(copied);
}
