/**
 * Parses CEL text to syntax trees with a library. `bind.ts` resolves names and types. Any text is
 * safe: length and depth are bounded before the tree is traversed.
 */
import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import type { Reporter } from "../diagnostics/diagnostic.ts";
import { type Phrase, positionIn } from "../source/phrase.ts";
import type { Position } from "../source/source.ts";

export type Syntax = ASTNode;

/** Maximum length of an expression in UTF-16 units: four times the largest payload shape of known contracts. */
export const expressionLengthMax = 16 * 1024;

/**
 * Size limits of an expression. Each number is defined once here and appears in the message of its
 * limit.
 */
export const expressionBounds = {
  /** The parser recurses once for each level. */
  depthMax: 48,
  /** Maximum number of operators in a row: `a + b + c …` nests to the left without brackets. */
  operatorsInRowMax: 400,
  /** Maximum number of signs in a row. The parser recurses once for each. */
  signsInRowMax: 16,
  piecesMax: 8000,
  elementsMax: 1000,
  entriesMax: 500,
  argumentsMax: 32,
} as const;

const boundWords: Readonly<Record<keyof typeof expressionBounds, string>> = {
  depthMax: "nested brackets, calls and dots",
  operatorsInRowMax: "operators in a row",
  signsInRowMax: "signs `!` and `-` in a row",
  piecesMax: "names, values and operators in one expression",
  elementsMax: "elements in one list",
  entriesMax: "keys in one map",
  argumentsMax: "arguments of one call",
};

/** The limits that the library enforces, by its names for them. */
const countedByParser = {
  maxDepth: "depthMax",
  maxAstNodes: "piecesMax",
  maxListElements: "elementsMax",
  maxMapEntries: "entriesMax",
  maxCallArguments: "argumentsMax",
} as const;

const environment = new Environment({
  limits: Object.fromEntries(
    Object.entries(countedByParser).map(([theirs, ours]) => [theirs, expressionBounds[ours]]),
  ),
});

function reportBound(reporter: Reporter, position: Position, bound: keyof typeof expressionBounds): void {
  reporter.report("expressions/too-deep", position, {
    most: expressionBounds[bound],
    what: boundWords[bound],
  });
}

/** Parses an expression. A syntax error is reported at its position, and the result is undefined. */
export function parseExpression(phrase: Phrase, reporter: Reporter): Syntax | undefined {
  if (phrase.text.length > expressionLengthMax) {
    reporter.report("expressions/too-long", positionIn(phrase), { most: expressionLengthMax });
    return undefined;
  }
  const unary = longUnaryRun(phrase.text);
  if (unary !== undefined) {
    reportBound(reporter, positionIn(phrase, unary, unary + 1), "signsInRowMax");
    return undefined;
  }
  try {
    const syntax = environment.parse(withoutReserved(phrase.text)).ast;
    const deepest = tooDeep(syntax);
    if (!deepest) return syntax;
    reportBound(reporter, positionIn(phrase, deepest.start, deepest.end), "operatorsInRowMax");
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    reportSyntaxError(error, phrase, reporter);
  }
  return undefined;
}

/** Texts (including unclosed ones), comments, white space, words, and single signs, in sequence. */
const tokenForm = new RegExp(
  [
    /"""(?:\\[\s\S]|[^\\])*?(?:"""|$)/,
    /'''(?:\\[\s\S]|[^\\])*?(?:'''|$)/,
    /"(?:\\[\s\S]|[^"\\])*(?:"|$)/,
    /'(?:\\[\s\S]|[^'\\])*(?:'|$)/,
    /\/\/[^\n]*/,
    /\s+/,
    /[A-Za-z_]\w*/,
    /[\s\S]/,
  ]
    .map((form) => form.source)
    .join("|"),
  "g",
);

/** Start of the first run of more than `expressionBounds.signsInRowMax` signs, outside of texts and comments. */
function longUnaryRun(text: string): number | undefined {
  if (!/[!-]/.test(text)) return undefined;
  let run = 0;
  for (const token of text.matchAll(tokenForm)) {
    const sign = token[0];
    if (sign === "!" || sign === "-") run += 1;
    else if (sign.trim() !== "") run = 0;
    if (run > expressionBounds.signsInRowMax) return token.index;
  }
  return undefined;
}

/** Words that CEL reserves although its grammar doesn't use them. */
const reservedWords: ReadonlySet<string> = new Set(
  "as break const continue else for function if import let loop package namespace return var void while prototype".split(
    " ",
  ),
);

/**
 * A resource may be called Package or Import, so CEL's reserved words are names here. The parser
 * gets another word of the same length, and the binder reads names from the author's text.
 */
function withoutReserved(text: string): string {
  return text.replace(tokenForm, (token) =>
    reservedWords.has(token) ? token.charAt(0).toUpperCase() + token.slice(1) : token,
  );
}

/** A node that exceeds the maximum depth, found without recursion. */
function tooDeep(root: Syntax): Syntax | undefined {
  const open: [Syntax, number][] = [[root, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, depth] = next;
    if (depth > expressionBounds.operatorsInRowMax) return node;
    for (const child of childrenOf(node)) open.push([child, depth + 1]);
  }
  return undefined;
}

/** The direct children of a node, in the order of the text. */
function childrenOf(node: Syntax): readonly Syntax[] {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case ".":
    case ".?":
      return [node.args[0]];
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case "map":
      return node.args.flat();
    case "!_":
    case "-_":
      return [node.args];
    default:
      return node.args;
  }
}

function reportSyntaxError(error: ParseError, phrase: Phrase, reporter: Reporter): void {
  const length = phrase.text.length;
  const start = Math.min(error.range?.start ?? 0, length);
  const end = Math.max(start, Math.min(error.range?.end ?? length, length));
  if (error.code === "limit_exceeded") {
    const [, theirs = ""] = /Exceeded (\w+)/.exec(error.message) ?? [];
    const bound = countedByParser[theirs as keyof typeof countedByParser] ?? "depthMax";
    reportBound(reporter, positionIn(phrase, start, Math.min(start + 1, length)), bound);
    return;
  }
  if (openTexts.has(error.code)) {
    // The library reports an unclosed text at the end of its line. Authors look for its start.
    const opening = error.code === "newline_in_string" ? lastQuote(phrase.text, start) : start;
    const quote = phrase.text[opening] ?? '"';
    reporter.report("expressions/open-text", positionIn(phrase, opening, opening + 1), { quote });
    return;
  }
  const rest = phrase.text.slice(start);
  if (rest.trim() === "") {
    // The text ends unexpectedly: the position is its last token.
    const last = phrase.text.trimEnd().length;
    reporter.report("expressions/unfinished", positionIn(phrase, Math.max(0, last - 1), last), {
      expected: expectedWords(error) ?? "the missing part",
    });
    return;
  }
  const markedEnd = end > start ? end : start + 1;
  reporter.report("expressions/unreadable", positionIn(phrase, start, markedEnd), {
    text: phrase.text.slice(start, markedEnd),
    expected: adviceFor(error, phrase.text, start),
  });
}

const openTexts: ReadonlySet<string> = new Set([
  "unterminated_string",
  "unterminated_triple_quoted_string",
  "newline_in_string",
]);

function lastQuote(text: string, before: number): number {
  return Math.max(0, text.lastIndexOf('"', before), text.lastIndexOf("'", before));
}

/** What to write instead. Frequent mistakes have their own hints. */
function adviceFor(error: ParseError, text: string, at: number): string {
  switch (error.code) {
    case "reserved_identifier":
      return "another name: this one is reserved";
    case "invalid_macro_argument":
      return "a name for the element first, as in `list.filter(x, x > 1)`";
    case "invalid_unicode_escape":
    case "invalid_unicode_surrogate":
    case "invalid_hex_escape":
    case "invalid_octal_escape":
    case "octal_escape_out_of_range":
    case "invalid_escape_sequence":
      return 'an escape sequence of CEL (`\\n`, `\\t`, `\\"`, `\\\\`, `\\u00e9`), or `r"…"` for a text without escapes';
    case "invalid_number":
    case "invalid_integer":
    case "invalid_hex_integer":
    case "invalid_exponent":
      return "a number such as `12`, `0.5` or `1e3`";
  }
  return slipAdvice(text, at) ?? expectedWords(error) ?? "an operator or the end of the expression";
}

const slips: readonly (readonly [RegExp, string])[] = [
  [/^===?/, "`==` to compare"],
  [/^=/, "`==` to compare"],
  [/^&/, "`&&` for and"],
  [/^\|/, "`||` for or"],
  [/^<>/, "`!=` for not equal"],
  [/^[“”„«»]/, 'straight quotes, `"`'],
  [/^[‘’]/, "straight quotes, `'`"],
  [/^[≤≥≠]/, "`<=`, `>=` or `!=`"],
  [/^and\b/i, "`&&` for and"],
  [/^or\b/i, "`||` for or"],
  [/^not\b/i, "`!` for not"],
  [/^is\b/i, "`==` to compare"],
  [/^\?/, "`has(…)` or a comparison with null: optional values are not part of the notation"],
  [/^`/, "the expression without backticks inside"],
  [/^;/, "one expression: only effects are separated by `;`"],
  [/^[$#@~^]/, "an operator of CEL"],
];

function slipAdvice(text: string, at: number): string | undefined {
  const rest = text.slice(at);
  if (/\.\s*$/.test(text.slice(0, at)) && /^(?:in|true|false|null)\b/.test(rest)) {
    return 'a name; write a field with this name in brackets, as in `this["in"]`';
  }
  // `=` is also the second sign of `==`, and a wrong word is reported one token late.
  const before = /(\w+)\s+$/.exec(text.slice(0, at))?.[1] ?? "";
  for (const [form, advice] of slips) {
    if (form.test(rest)) return advice;
  }
  return /^not$/i.test(before) ? "`!` for not" : undefined;
}

const tokenWords: Readonly<Record<string, string>> = {
  RPAREN: "the closing `)`",
  RBRACKET: "the closing `]`",
  RBRACE: "the closing `}` or a comma",
  COLON: "`:` and the other value",
  IDENTIFIER: "a name",
};

function expectedWords(error: ParseError): string | undefined {
  const expected = /^Expected (\w+), got/.exec(error.summary)?.[1];
  if (expected) return tokenWords[expected];
  return error.code === "unexpected_token" ? "a value: a name, a text, a number, `(`, `[` or `{`" : undefined;
}
