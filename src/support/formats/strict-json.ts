/**
 * Strict JSON validator: reports what is wrong with a text, and where, by the grammar of RFC 8259.
 * It also rejects duplicate names, lone surrogates, U+0000, numbers beyond a double, and excess
 * depth or number of values. It builds no value; `json-reader.ts` does.
 */

/**
 * The problem, such as `a value is expected at line 1, column 6`; undefined if the text is strict
 * JSON.
 */
export function findJsonProblem(text: string, limits: JsonLimits): string | undefined {
  try {
    new StrictScan(text, limits).document();
    return undefined;
  } catch (problem) {
    if (problem instanceof JsonProblem)
      return `${problem.message} at ${describePosition(text, problem.offset)}`;
    throw problem;
  }
}

class JsonProblem extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Lines end at `\n`; columns count UTF-16 units, as in editors. */
function describePosition(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
    line += 1;
    start = end + 1;
  }
  return `line ${line}, column ${offset - start + 1}`;
}

/** The maximum length of a name in a message; a longer name is truncated. */
const quotedNameLengthMax = 64;

const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259, section 7, names them.
const plainTextForm = /[^"\\\u0000-\u001f]+/y;
const hexForm = /[0-9a-fA-F]{4}/y;

class StrictScan {
  readonly text: string;
  readonly limits: JsonLimits;
  at = 0;
  depth = 0;
  values = 0;

  constructor(text: string, limits: JsonLimits) {
    this.text = text;
    this.limits = limits;
  }

  document(): void {
    this.blanks();
    this.value();
    this.blanks();
    if (this.at < this.text.length) this.fail("the end of the text is expected");
  }

  fail(words: string, offset = this.at): never {
    throw new JsonProblem(offset >= this.text.length ? `${words}, but the text ends` : words, offset);
  }

  blanks(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  value(): void {
    this.values += 1;
    if (this.values > this.limits.valuesMax) this.fail(`there are more than ${this.limits.valuesMax} values`);
    const first = this.text[this.at];
    if (first === "{") this.object();
    else if (first === "[") this.array();
    else if (first === '"') this.string();
    else if (first === "t") this.word("true");
    else if (first === "f") this.word("false");
    else if (first === "n") this.word("null");
    else this.number();
  }

  object(): void {
    this.open();
    const names = new Set<string>();
    if (this.closes("}")) return;
    for (;;) {
      this.member(names);
      this.blanks();
      if (this.closes("}")) return;
      if (this.text[this.at] !== ",") this.fail("a comma or } is expected");
      this.at += 1;
      this.blanks();
    }
  }

  member(names: Set<string>): void {
    if (this.text[this.at] !== '"') this.fail("a name in double quotes is expected");
    const start = this.at;
    const name = this.string();
    if (names.has(name))
      this.fail(
        `the name ${JSON.stringify(name.slice(0, quotedNameLengthMax))} occurs twice in one object`,
        start,
      );
    names.add(name);
    this.blanks();
    if (this.text[this.at] !== ":") this.fail("a colon is expected");
    this.at += 1;
    this.blanks();
    this.value();
  }

  array(): void {
    this.open();
    if (this.closes("]")) return;
    for (;;) {
      this.value();
      this.blanks();
      if (this.closes("]")) return;
      if (this.text[this.at] !== ",") this.fail("a comma or ] is expected");
      this.at += 1;
      this.blanks();
    }
  }

  open(): void {
    this.depth += 1;
    if (this.depth > this.limits.depthMax)
      this.fail(`it is nested deeper than ${this.limits.depthMax} levels`);
    this.at += 1;
    this.blanks();
  }

  closes(bracket: string): boolean {
    if (this.text[this.at] !== bracket) return false;
    this.at += 1;
    this.depth -= 1;
    return true;
  }

  word(word: string): void {
    if (!this.text.startsWith(word, this.at)) this.fail("a value is expected");
    this.at += word.length;
  }

  number(): void {
    const number = this.match(numberForm);
    if (number === undefined) this.fail("a value is expected");
    if (!Number.isFinite(Number(number))) this.fail("the number is too large", this.at - number.length);
  }

  match(form: RegExp): string | undefined {
    form.lastIndex = this.at;
    const found = form.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  /** Reads a string and returns its value. */
  string(): string {
    const start = this.at;
    let value = "";
    this.at += 1;
    for (;;) {
      value += this.match(plainTextForm) ?? "";
      const next = this.text[this.at];
      if (next === '"') break;
      if (next === "\\") value += this.escape();
      else
        this.fail(next === undefined ? "a closing quote is expected" : "a control character must be escaped");
    }
    this.at += 1;
    if (!value.isWellFormed()) this.fail("the text contains half of a surrogate pair", start);
    if (value.includes("\0")) this.fail("the text contains the character U+0000", start);
    return value;
  }

  escape(): string {
    const start = this.at;
    const letter = this.text[start + 1];
    this.at += 2;
    if (letter === "u") {
      const digits = this.match(hexForm);
      if (digits === undefined) this.fail("the text contains an invalid escape sequence", start);
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const escaped = letter === undefined ? undefined : escapes.get(letter);
    if (escaped === undefined) this.fail("the text contains an invalid escape sequence", start);
    return escaped;
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

export interface JsonLimits {
  /** Maximum nesting of arrays and objects. */
  readonly depthMax: number;
  /** The maximum number of values in a text, including the outermost. */
  readonly valuesMax: number;
}
