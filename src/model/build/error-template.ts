/** Texts with expressions in braces (3.7): `The parcel is {this.status}.` The grammar, and the names that may stand in them. */
import { type Scope, withFixed } from "../../expressions/scope.ts";
import { type Type, types } from "../../expressions/type.ts";
import { type Phrase, positionIn, slice, trim } from "../../source/phrase.ts";
import { oncePer } from "../../support/once-per.ts";
import { itemsOf, keyText } from "../../syntax/read.ts";
import type { Template } from "../model.ts";
import type { BuildContext } from "./context.ts";
import { errorType } from "./error-type.ts";
import type { PartReader } from "./part-reader.ts";
import type { sentByAny } from "./sent-by-any.ts";
import { recordScope } from "./record-scope.ts";

/** A piece of plain text, or the phrase between two braces. */
export type TemplatePiece = string | Phrase;

/** Parts a text at its braces; gives the brace that is never closed instead where there is one. */
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

/** The brace that closes the one at `open`; braces in quotes and pairs inside don't count. */
function closingBrace(text: string, open: number): number {
  let depth = 0;
  let quote = "";
  for (let at = open; at < text.length; at += 1) {
    const character = text[at] as string;
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

/** Binds every expression of a text. One that can't be bound has been reported, and leaves the text without it. */
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

/**
 * What may stand in a row's texts. An error can come from any endpoint, so every name that an endpoint may have is there:
 * the records of paths by their small names, and what `Let` gives; what isn't in play when the error is answered reads as null.
 */
export function templateScope(
  context: BuildContext,
  sent: ReturnType<typeof sentByAny>,
  resource: string | undefined,
): Scope {
  const any = withFixed(anyErrorScope(context), sent);
  if (resource !== undefined) return recordScope(context.declarations, resource, any);
  const records = [...context.declarations.resources.values()].filter((one) => !one.isValue);
  const [only] = records;
  if (only && records.length === 1) return recordScope(context.declarations, only.name, any);
  const scope = withFixed(any, { this: types.any, old: types.any });
  // Of what isn't shown nothing is known, so that no name of it is unknown.
  if (records.length === 0 || records.some((one) => one.gap)) return scope;
  const names = records.map((one) => one.name);
  return { ...scope, several: { ...scope.several, this: names, old: names } };
}

const anyErrorScope = oncePer((context: BuildContext): Scope => {
  const { declarations, document } = context;
  const named: Record<string, Type> = Object.fromEntries(letNames(context).map((name) => [name, types.any]));
  for (const declared of declarations.resources.values()) {
    if (!declared.isValue) named[declared.smallName] = { kind: "record", resource: declared.name };
  }
  const base = { ...declarations.baseScope, named };
  const error = errorType(document);
  return withFixed(base, { error, old: types.any });
});

function letNames({ document }: BuildContext): string[] {
  return (document.parts.endpoints?.sections ?? []).flatMap((section) =>
    itemsOf(section.body)
      .filter((item) => keyText(item.key) === "let")
      .flatMap((item) => /^`?\s*([A-Za-z_]\w*)\s*=/.exec(item.value.text.trim())?.[1] ?? []),
  );
}
