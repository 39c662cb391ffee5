/**
 * Message templates (3.7): `The parcel is {this.status}.` Parses the text with expressions in
 * braces and resolves their names.
 */
import type { Scope } from "../../../expressions/scope.ts";
import { type Phrase, positionIn, slice, trim } from "../../../source/phrase.ts";
import type { Template } from "../../model.ts";
import type { PartReader } from "../any-part/part-reader.ts";

/** A part of a template: plain text, or the phrase between two braces. */
export type TemplatePiece = string | Phrase;

/** Splits a text at its braces. If a brace is never closed, returns its phrase. */
export function parseTemplate(phrase: Phrase): readonly TemplatePiece[] | { readonly unclosed: Phrase } {
  const pieces: TemplatePiece[] = [];
  const { text } = phrase;
  let from = 0;
  for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", from)) {
    const end = closingBrace(text, at);
    if (end === -1) return { unclosed: slice(phrase, at, at + 1) };
    if (at > from) pieces.push(text.slice(from, at));
    pieces.push(trim(slice(phrase, at + 1, end)));
    from = end + 1;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

/** The brace that closes the one at `open`. Braces in quotes and inner pairs don't count. */
function closingBrace(text: string, open: number): number {
  let depth = 0;
  let quote = "";
  for (let at = open; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === "\\") at += 1;
      else if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** Binds every expression of a text. One that can't be bound was reported, and is omitted from the text. */
export function readTemplate(
  reader: PartReader<"errors">,
  phrase: Phrase,
  scope: Scope,
): Template | undefined {
  const pieces = parseTemplate(phrase);
  if ("unclosed" in pieces) {
    reader.context.reporter.report("errors/unclosed-brace", positionIn(pieces.unclosed), {});
    return undefined;
  }
  return pieces.flatMap((piece) => {
    if (typeof piece === "string") return piece;
    if (piece.text === "")
      return reader.unreadable(piece, "an expression between the braces, `{error.field}`") ?? [];
    return reader.expression(piece, scope) ?? [];
  });
}
