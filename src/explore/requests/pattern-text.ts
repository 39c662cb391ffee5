/**
 * Pattern texts: draws texts that match a pattern of literals, classes, groups, alternatives and
 * repetitions.
 */
import type { Draw } from "../stories/draw.ts";

/** The maximum count of a repetition without an upper bound. */
const repetitionsMax = 4;
const firstPrintable = 32;
const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(firstPrintable + at)).join("");
const classes: Readonly<Record<string, string>> = {
  d: range("0", "9"),
  w: `${range("0", "9")}${range("A", "Z")}${range("a", "z")}_`,
  s: " ",
};

/** Undefined if the pattern has other elements, such as a lookahead. */
export function patternText(pattern: string, draw: Draw): string | undefined {
  const reader = new PatternReader(pattern, draw);
  const text = reader.alternatives();
  return reader.isFinished ? text : undefined;
}

/** The ASCII characters of a range. */
function range(first: string, last: string): string {
  return printable.slice(first.charCodeAt(0) - firstPrintable, last.charCodeAt(0) - firstPrintable + 1);
}

/** Parses a pattern and draws a text in one pass. */
class PatternReader {
  readonly #pattern: string;
  readonly #draw: Draw;
  #at = 0;
  #isUnknown = false;

  constructor(pattern: string, draw: Draw) {
    this.#pattern = pattern;
    this.#draw = draw;
  }

  get isFinished(): boolean {
    return !this.#isUnknown && this.#at === this.#pattern.length;
  }

  alternatives(): string {
    const all = [this.#sequence()];
    while (this.#accept("|")) all.push(this.#sequence());
    return this.#draw.oneOf(all) ?? "";
  }

  #sequence(): string {
    let text = "";
    while (this.#at < this.#pattern.length && !"|)".includes(this.#next)) {
      const from = this.#at;
      const first = this.#atom();
      const atomEnd = this.#at;
      const count = this.#repetitions();
      const behind = this.#at;
      text += count === 0 ? "" : first;
      // Each repetition draws its own text.
      for (let made = 1; made < count; made += 1) {
        this.#at = from;
        text += this.#atom();
      }
      this.#at = Math.max(behind, atomEnd);
      if (this.#isUnknown) return text;
    }
    return text;
  }

  get #next(): string {
    return this.#pattern[this.#at] ?? "";
  }

  #accept(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #atom(): string {
    if (this.#accept("^") || this.#accept("$")) return "";
    if (this.#accept("(")) {
      if (this.#accept("?") && !this.#accept(":")) this.#isUnknown = true;
      const text = this.#isUnknown ? "" : this.alternatives();
      if (!this.#accept(")")) this.#isUnknown = true;
      return text;
    }
    if (this.#accept("[")) return this.#oneOf(this.#class());
    if (this.#accept(".")) return this.#oneOf(printable);
    if (this.#accept("\\")) return this.#oneOf(this.#escaped());
    const [character = ""] = [...this.#pattern.slice(this.#at, this.#at + 2)];
    this.#at += character.length;
    return character;
  }

  #oneOf(characters: string): string {
    return characters[this.#draw.below(characters.length)] ?? "";
  }

  /** The characters that an escape matches. */
  #escaped(): string {
    const character = this.#next;
    this.#at += 1;
    if (/[bBpPuxkDWS]/.test(character)) this.#isUnknown = true;
    return classes[character] ?? character;
  }

  #class(): string {
    const isNegated = this.#accept("^");
    let characters = "";
    while (this.#at < this.#pattern.length && !this.#accept("]")) {
      const first = this.#accept("\\") ? this.#escaped() : this.#pattern.slice(this.#at, ++this.#at);
      const isRange = first.length === 1 && this.#next === "-" && this.#pattern[this.#at + 1] !== "]";
      if (!isRange) characters += first;
      else {
        this.#at += 1;
        const last = this.#accept("\\") ? this.#escaped() : this.#pattern.slice(this.#at, ++this.#at);
        characters += range(first, last);
      }
    }
    if (!isNegated) return characters;
    return [...printable].filter((character) => !characters.includes(character)).join("");
  }

  #repetitions(): number {
    if (this.#accept("?")) return this.#draw.below(2);
    if (this.#accept("*")) return this.#draw.below(repetitionsMax + 1);
    if (this.#accept("+")) return 1 + this.#draw.below(repetitionsMax);
    const counts = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at));
    if (!counts) return 1;
    this.#at += counts[0].length;
    const least = Number(counts[1]);
    const max = counts[2] === "" ? least : counts[3] === "" ? least + repetitionsMax : Number(counts[3]);
    return least + this.#draw.below(Math.min(max, least + 20) - least + 1);
  }
}
