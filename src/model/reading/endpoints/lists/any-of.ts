/**
 * `any of title, pages by <expression>`: the fields that a request may name, and the text or the
 * condition that names them. `Order` and `Where` have this form.
 */
import { isHidden, isShownOnce } from "../../../../fields/rule.ts";
import {
  findWord,
  type Phrase,
  positionIn,
  slice,
  splitOutside,
  trim,
  unquote,
} from "../../../../source/phrase.ts";
import type { DeclaredField, DeclaredResource } from "../../declarations.ts";
import { nearestHint } from "../../nearest-hint.ts";
import type { BuildContext } from "../../any-part/context.ts";

export interface AnyOf {
  readonly names: readonly Phrase[];
  readonly by: Phrase;
  /** The pieces behind the expression. */
  readonly others: readonly Phrase[];
}

/**
 * Splits the phrase after `any of`. Undefined after a report.
 * @param resource the resource of the fields
 * @param form the form of the item, for the hint
 */
export function readAnyOf(
  phrase: Phrase,
  resource: DeclaredResource,
  form: string,
  ctx: BuildContext,
): AnyOf | undefined {
  const unreadable = (at: Phrase, expected: string): undefined => {
    ctx.reporter.report("endpoints/unreadable", positionIn(at), { text: at.text, expected });
  };
  const pieces = splitOutside(phrase, ",");
  const last = pieces.findIndex(({ text }) => findWord(text, "by") !== -1);
  const piece = pieces[last];
  if (!piece) return reportLast(pieces.at(-1), resource, ctx) ? undefined : unreadable(phrase, form);
  const at = findWord(piece.text, "by");
  const names = [...pieces.slice(0, last), trim(slice(piece, 0, at))].map(unquote);
  const expression = names.find(({ text }) => !/^[A-Za-z_]\w*$/.test(text));
  if (expression)
    return unreadable(expression, "the name of a field. For an expression, add a computed field");
  const repeated = names.find(({ text }, index) => names.findIndex((name) => name.text === text) < index);
  if (repeated) return unreadable(repeated, "each field once");
  return { names, by: unquote(trim(slice(piece, at + "by".length))), others: pieces.slice(last + 1) };
}

/**
 * Reports the last word of a phrase without `by`, if it is neither a field nor `by`. Returns whether
 * it was meant as `by`.
 */
function reportLast(
  piece: Phrase | undefined,
  { name: resource, fields }: DeclaredResource,
  { reporter }: BuildContext,
): boolean {
  const [, name = "", gap = "", word = ""] = /^([A-Za-z_]\w*)(\s*)(\S*)/.exec(piece?.text ?? "") ?? [];
  if (!piece || name === "" || fields.size === 0) return false;
  if (!fields.has(name)) {
    const at = slice(piece, 0, name.length);
    reporter.report("endpoints/unknown-field", positionIn(at), {
      name,
      resource,
      ...nearestHint(name, fields.keys()),
    });
    return false;
  }
  if (word === "") return false;
  const at = slice(piece, name.length + gap.length, name.length + gap.length + word.length);
  reporter.report("endpoints/unknown-word", positionIn(at), {
    text: word,
    what: "word after the fields",
    ...nearestHint(word, ["by"]),
  });
  return true;
}

/** Whether a request may name the field. By the order or the number of records, it would learn a hidden value. */
export function mayBeNamed(field: DeclaredField, name: Phrase, { reporter }: BuildContext): boolean {
  const { kind } = field.type;
  const isSecret = kind === "password" || kind === "credential";
  if (!isSecret && !isHidden(field.rules) && !isShownOnce(field.rules)) return true;
  reporter.report("endpoints/hidden-field", positionIn(name), { name: name.text });
  return false;
}
