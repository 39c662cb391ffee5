/**
 * JSON syntax check: finds the position at which a text stops being JSON (RFC 8259). The error
 * texts of `JSON.parse` differ between engines.
 */

export interface JsonError {
  /** The index of the first invalid character. */
  readonly at: number;
  /** The problem as the end of a sentence. */
  readonly problem: string;
}

/**
 * The maximum accepted nesting. The parser keeps its own stack, so memory does not require the
 * limit.
 */
const depthMax = 64;

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings.
const string = /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y;

/**
 * The first error, or undefined if the whole text is one JSON value. Linear and without recursion.
 */
export function jsonError(text: string): JsonError | undefined {
  const open: ("{" | "[")[] = [];
  let at = 0;
  // What may come next: a value, a key, or what follows a value.
  let expecting: "value" | "first value" | "key" | "first key" | "end" = "value";
  const blanks = (): void => {
    while (at < text.length && " \t\n\r".includes(text.charAt(at))) at += 1;
  };
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match || match[0] === "") return false;
    at += match[0].length;
    return true;
  };
  for (blanks(); at < text.length || open.length > 0 || expecting !== "end"; blanks()) {
    const character = text[at];
    if (character === undefined)
      return { at, problem: `unexpected end, expected ${inWords(expecting, open.at(-1))}` };
    const closes = (open.at(-1) === "{" && character === "}") || (open.at(-1) === "[" && character === "]");
    if (closes && (expecting === "end" || expecting.startsWith("first"))) {
      open.pop();
      at += 1;
      expecting = "end";
    } else if (expecting === "end") {
      if (open.length === 0 || character !== ",")
        return { at, problem: unexpected(character, expecting, open.at(-1)) };
      at += 1;
      expecting = open.at(-1) === "{" ? "key" : "value";
    } else if (expecting.endsWith("key")) {
      const start = at;
      if (!skip(string))
        return badString(text, start) ?? { at, problem: unexpected(character, expecting, "{") };
      blanks();
      if (text[at] !== ":") return { at, problem: "missing `:` after a key" };
      at += 1;
      expecting = "value";
    } else if (character === "{" || character === "[") {
      if (open.length === depthMax) return { at, problem: `nested more than ${depthMax} levels deep` };
      open.push(character);
      at += 1;
      expecting = character === "{" ? "first key" : "first value";
    } else if (skip(string) || skip(number) || skip(word)) {
      expecting = "end";
    } else {
      return badString(text, at) ?? { at, problem: unexpected(character, expecting, open.at(-1)) };
    }
  }
  return undefined;
}

function badString(text: string, at: number): JsonError | undefined {
  if (text[at] !== '"') return undefined;
  // The pattern matches the valid part; the error is where the match stops.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  const good = /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*/y;
  good.lastIndex = at;
  const end = at + (good.exec(text)?.[0].length ?? 1);
  if (end >= text.length) return { at, problem: "a string is not closed" };
  return {
    at: end,
    problem:
      text[end] === "\\"
        ? "unknown escape sequence"
        : "a string can't contain a line break or a control character",
  };
}

function unexpected(character: string, expecting: string, open: "{" | "[" | undefined): string {
  return `unexpected \`${character}\`, expected ${inWords(expecting, open)}`;
}

function inWords(expecting: string, open: "{" | "[" | undefined): string {
  if (expecting === "end") return open === "{" ? "`,` or `}`" : open === "[" ? "`,` or `]`" : "the end";
  if (expecting === "first key") return "a key in quotes or `}`";
  if (expecting === "key") return "a key in quotes";
  return expecting === "first value" ? "a value or `]`" : "a value";
}
