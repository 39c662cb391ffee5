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
import type { DeclaredField } from "../../../declarations.ts";
import type { BuildContext } from "../../any-part/context.ts";

export interface AnyOf {
  readonly names: readonly Phrase[];
  readonly by: Phrase;
  /** The pieces behind the expression. */
  readonly others: readonly Phrase[];
}

/**
 * Splits the phrase after `any of`. Undefined after a report.
 * @param form the form of the item, for the hint
 */
export function readAnyOf(phrase: Phrase, form: string, ctx: BuildContext): AnyOf | undefined {
  const unreadable = (at: Phrase, expected: string): undefined => {
    ctx.reporter.report("endpoints/unreadable", positionIn(at), { text: at.text, expected });
  };
  const pieces = splitOutside(phrase, ",");
  const last = pieces.findIndex(({ text }) => findWord(text, "by") !== -1);
  const piece = pieces[last];
  if (!piece) return unreadable(phrase, form);
  const at = findWord(piece.text, "by");
  const names = [...pieces.slice(0, last), trim(slice(piece, 0, at))].map(unquote);
  const expression = names.find(({ text }) => !/^[A-Za-z_]\w*$/.test(text));
  if (expression)
    return unreadable(expression, "the name of a field. For an expression, add a computed field");
  const repeated = names.find(({ text }, index) => names.findIndex((name) => name.text === text) < index);
  if (repeated) return unreadable(repeated, "each field once");
  return { names, by: unquote(trim(slice(piece, at + "by".length))), others: pieces.slice(last + 1) };
}

/** Whether a request may name the field. By the order or the number of records, it would learn a hidden value. */
export function mayBeNamed(field: DeclaredField, name: Phrase, { reporter }: BuildContext): boolean {
  const { kind } = field.type;
  const isSecret = kind === "password" || kind === "credential";
  if (!isSecret && !isHidden(field.rules) && !isShownOnce(field.rules)) return true;
  reporter.report("endpoints/hidden-field", positionIn(name), { name: name.text });
  return false;
}
