/**
 * Semantic tokens: item keys, columns and expressions, which Markdown's highlighting doesn't show.
 */
import { type SemanticTokens, SemanticTokensBuilder } from "vscode-languageserver";
import { functionNamed } from "../../expressions/functions/index.ts";
import { macroNames } from "../../expressions/binding/macro-forms.ts";
import type { Model } from "../../model/model.ts";
import type { Analysis } from "../analysis.ts";
import { expressionAt, type PlacedLine, placedLines } from "../place.ts";

export const tokenTypes = [
  "property",
  "type",
  "function",
  "variable",
  "string",
  "number",
  "keyword",
] as const;

type TokenType = (typeof tokenTypes)[number];

const tokenForm = /"(?:\\.|[^"\\\n])*"?|[A-Za-z_]\w*|\d[\w.]*/g;

const keywords: ReadonlySet<string> = new Set([
  "true",
  "false",
  "null",
  "in",
  "when",
  "where",
  "with",
  "as",
  "set",
]);

export function tokensOf({ source, document, compilation: { model } }: Analysis): SemanticTokens {
  const builder = new SemanticTokensBuilder();
  const names = new Set([...(model?.resources ?? []), ...(model?.shapes ?? [])].map(({ name }) => name));
  for (const line of placedLines(source.text)) {
    for (const { start, length, type } of tokensIn(source.text, line, names, model)) {
      const { line: row, character } = document.positionAt(start);
      builder.push(row, character, length, tokenTypes.indexOf(type), 0);
    }
  }
  return builder.build();
}

interface Token {
  readonly start: number;
  readonly length: number;
  readonly type: TokenType;
}

function* tokensIn(
  text: string,
  line: PlacedLine,
  names: ReadonlySet<string>,
  model: Model | undefined,
): Generator<Token> {
  const first = line.placeOf(line.start + line.text.search(/\S|$/) + 2);
  if (first.form === "key") yield { start: first.start, length: first.end - first.start, type: "property" };
  if (!model || first.form === "prose" || first.form === "heading" || first.form === "column") return;
  for (const match of line.text.matchAll(tokenForm)) {
    const start = line.start + match.index;
    if (!expressionAt(text, line.placeOf(start), start)) continue;
    yield { start, length: match[0].length, type: typeOf(match[0], text[start - 1], names) };
  }
}

function typeOf(word: string, before: string | undefined, names: ReadonlySet<string>): TokenType {
  if (word.startsWith('"')) return "string";
  if (/^\d/.test(word)) return "number";
  if (keywords.has(word)) return "keyword";
  if (names.has(word)) return "type";
  if (functionNamed(word) || (before === "." && macroNames.has(word))) return "function";
  return before === "." ? "property" : "variable";
}
