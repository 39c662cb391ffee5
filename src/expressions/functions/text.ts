/**
 * Functions of texts. Lengths and positions are in code points (decision "Text by code points").
 */
import { RE2JS, RE2JSException } from "re2js";
import { memoize } from "../../support/memoize.ts";
import { CostExceeded } from "../cost.ts";
import { codePointSlice } from "../text.ts";
import { types } from "../type.ts";
import type { Value } from "../value.ts";
import { type FunctionDefinition, signature } from "./definition.ts";

/** Maximum length of a text that a function returns, in UTF-16 units. Beyond it the evaluation is aborted. */
const textLengthMax = 4 * 1024 * 1024;

const { string, integer, boolean } = types;
const texts = { kind: "list", of: string } as const;

const normalForms = ["NFC", "NFD", "NFKC", "NFKD"] as const;

/** A normalized text may be longer. */
function normalized([text, form]: readonly [string, string]): Value {
  return (normalForms as readonly string[]).includes(form) ? boundedText(text.normalize(form)) : null;
}

export const textFunctions: readonly FunctionDefinition[] = [
  {
    name: "contains",
    form: "both",
    deterministic: true,
    sentence: "Whether a text contains another.",
    example: `this.title.contains("urgent")`,
    signatures: [signature([string, string], boolean, ([text, part]) => text.includes(part))],
  },
  {
    name: "startsWith",
    form: "both",
    deterministic: true,
    sentence: "Whether a text starts with another.",
    example: `this.name.startsWith("A")`,
    signatures: [signature([string, string], boolean, ([text, part]) => text.startsWith(part))],
  },
  {
    name: "endsWith",
    form: "both",
    deterministic: true,
    sentence: "Whether a text ends with another.",
    example: `body.file.endsWith(".pdf")`,
    signatures: [signature([string, string], boolean, ([text, part]) => text.endsWith(part))],
  },
  {
    name: "matches",
    form: "both",
    deterministic: true,
    sentence: "Whether a part of a text matches a pattern in RE2 syntax; `^` and `$` anchor it.",
    example: `this.code.matches("^[A-Z]{2}-[0-9]+$")`,
    literals: ([, pattern]) =>
      typeof pattern === "string" && compiledPattern(pattern) === null
        ? { argument: 1, expected: "a pattern in RE2 syntax" }
        : undefined,
    signatures: [
      signature([string, string], boolean, ([text, pattern]) => compiledPattern(pattern)?.test(text) ?? null),
    ],
  },
  {
    name: "lower",
    form: "both",
    deterministic: true,
    sentence: "A text in lower case.",
    example: "lower(body.email)",
    signatures: [signature([string], string, ([text]) => text.toLowerCase())],
  },
  {
    name: "upper",
    form: "both",
    deterministic: true,
    sentence: "A text in upper case.",
    example: "upper(body.country)",
    signatures: [signature([string], string, ([text]) => text.toUpperCase())],
  },
  {
    name: "trim",
    form: "both",
    deterministic: true,
    sentence: "A text without white space at both ends.",
    example: "trim(body.name)",
    signatures: [signature([string], string, ([text]) => text.trim())],
  },
  {
    name: "normalize",
    form: "both",
    deterministic: true,
    sentence: "A text in a Unicode normalization form: `NFC`, `NFD`, `NFKC` or `NFKD`.",
    example: `normalize(body.name, "NFKC")`,
    signatures: [signature([string, { kind: "enum", values: normalForms }], string, normalized)],
  },
  {
    name: "replace",
    form: "both",
    deterministic: true,
    sentence:
      "A text with every occurrence of one text (or the first ones, by a number) replaced by another.",
    example: `this.phone.replace(" ", "")`,
    signatures: [signature([string, string, string, integer], string, replace, { optional: 1 })],
  },
  {
    name: "split",
    form: "both",
    deterministic: true,
    sentence: "Splits a text at a separator; with a number, into at most this many pieces.",
    example: `query.tags.split(",")`,
    signatures: [signature([string, string, integer], texts, split, { optional: 1 })],
  },
  {
    name: "join",
    form: "both",
    deterministic: true,
    sentence: "Joins the texts of a list with a separator.",
    example: `this.tags.join(", ")`,
    signatures: [signature([texts, string], string, join, { optional: 1 })],
  },
  {
    name: "substring",
    form: "both",
    deterministic: true,
    nullFor: "all",
    sentence:
      "The part of a text from one index to another (exclusive), counted from 0; null if an index is outside the text.",
    example: "this.iban.substring(0, 2)",
    signatures: [
      signature([string, integer, integer], string, ([text, from, to]) => codePointSlice(text, from, to), {
        optional: 1,
      }),
    ],
  },
  {
    name: "slug",
    form: "function",
    deterministic: true,
    sentence:
      "A text as a part of a URL, in lower case, digits and hyphens; `-2`, `-3` … make it unique in the field.",
    example: "slug(this.title)",
    signatures: [signature([string], string, ([text]) => slugOf(text))],
  },
];

function replace([source, from, to, max]: readonly [string, string, string, number | undefined]): Value {
  const pieces = piecesAround(source, from);
  const every = pieces.length - 1;
  const count = max === undefined || max < 0 ? every : Math.min(max, every);
  return bounded(source, from, to, count, () => {
    const head = pieces.slice(0, count + 1).join(to);
    return count < every ? [head, ...pieces.slice(count + 1)].join(from) : head;
  });
}

/** The empty text occurs before, between and after all code points. */
function piecesAround(source: string, text: string): readonly string[] {
  return text === "" ? ["", ...source, ""] : source.split(text);
}

/** Checks the length before a text is created, so that no expression can exhaust the memory. */
function bounded(source: string, from: string, to: string, count: number, make: () => string): string {
  if (source.length + count * Math.max(0, to.length - from.length) > textLengthMax) throw new CostExceeded();
  return make();
}

function split([text, separator, max]: readonly [string, string, number | undefined]): Value {
  const pieces = separator === "" ? Array.from(text) : text.split(separator);
  if (max === undefined || max < 0 || max >= pieces.length) return pieces;
  if (max === 0) return [];
  const leading = pieces.slice(0, max - 1);
  return [...leading, pieces.slice(max - 1).join(separator)];
}

function join([pieces, separator = ""]: readonly [readonly Value[], string | undefined]): Value {
  // A null in the list makes the result null, as with `+`.
  if (!pieces.every((piece) => typeof piece === "string")) return null;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length + pieces.length * separator.length > textLengthMax) throw new CostExceeded();
  return pieces.join(separator);
}

/**
 * The text, unless it is too long.
 * @throws CostExceeded
 */
export function boundedText(text: string): string {
  if (text.length > textLengthMax) throw new CostExceeded();
  return text;
}

/** The slug of a title without letters and digits. An empty slug couldn't be a part of a path. */
const emptySlug = "untitled";

/**
 * The base of a slug. Latin letters lose their accents. Letters of other scripts remain, because a complete title may
 * consist of them.
 */
function slugOf(text: string): string {
  const plain = text
    .toWellFormed()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]+/g, "")
    .normalize("NFC")
    .toLowerCase();
  const slug = plain
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "-")
    .replace(/^-|-$/g, "");
  return slug === "" ? emptySlug : slug;
}

/** Maximum length of a pattern. The time for a match also depends on it. */
const patternLengthMax = 1000;

function compilePattern(pattern: string): RE2JS | null {
  if (pattern.length > patternLengthMax) return null;
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}

/** The compiled pattern, or null if it is invalid. */
const compiledPattern = memoize(compilePattern, 128);

/** Whether the text is a pattern that `matches` can use. */
export function isPattern(text: string): boolean {
  return compiledPattern(text) !== null;
}
