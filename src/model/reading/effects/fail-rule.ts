/**
 * `Fails: code on field when condition`, of a resource or an endpoint: the code of part 7, the
 * blamed field, and the condition.
 */
import { bindExpression } from "../../../expressions/bind.ts";
import type { Scope } from "../../../expressions/scope.ts";
import { types } from "../../../expressions/type.ts";
import { type Phrase, positionIn, slice, unquote } from "../../../source/phrase.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { FailRule } from "../../model.ts";
import { reportUnknownField } from "../unknown-field.ts";
import type { BuildContext } from "../any-part/context.ts";
import { fieldTypeAt } from "../any-part/field-path.ts";
import { nearestHint } from "../nearest-hint.ts";
import { splitAtWord, whenClause } from "../any-part/when-clause.ts";

export function bindFails(
  value: Phrase,
  scope: Scope,
  context: BuildContext,
  resource: DeclaredResource,
): FailRule | undefined {
  const { rule, nullPasses } = withoutNullPasses(value);
  const { head, when } = whenClause(unquote(rule));
  const [code, on] = (splitAtWord(head, "on") ?? [head, undefined]).map((part) => part && unquote(part));
  if (!code || !when || !/^[^\s`"]+$/.test(code.text) || (on && !/^[\w.[\]]+$/.test(on.text))) {
    const expected = "`code on field when <condition>` (`on field` is optional)";
    context.reporter.report("resources/unreadable", positionIn(value), { text: value.text, expected });
    return undefined;
  }
  const condition = bindExpression(unquote(when), scope, context.reporter, types.boolean);
  const known = isErrorCode(code, "resources", context);
  if (on && !resource.gap && !fieldTypeAt(context.declarations, resource, on.text)) {
    return reportUnknownField(on, resource, context.reporter);
  }
  if (!condition || !known) return undefined;
  return {
    code: code.text,
    ...(on ? { on: on.text } : {}),
    when: condition,
    ...(nullPasses ? { nullPasses } : {}),
    position: positionIn(value),
  };
}

/** Splits off `, null passes` after the condition. */
function withoutNullPasses(value: Phrase): { readonly rule: Phrase; readonly nullPasses?: true } {
  const end = /\s*,\s*null passes\s*$/.exec(value.text);
  return end ? { rule: slice(value, 0, end.index), nullPasses: true } : { rule: value };
}

/**
 * Whether part 7 has the code. Without any code in the document they are a gap and no name is
 * wrong, unless it states that there are none.
 */
export function isErrorCode(
  code: Phrase,
  part: "resources" | "states" | "endpoints",
  { declarations: { errorCodes, codesAreNone }, reporter }: BuildContext,
): boolean {
  if (errorCodes.has(code.text) || (errorCodes.size === 0 && !codesAreNone)) return true;
  const params = { name: code.text, ...nearestHint(code.text, errorCodes.keys()) };
  reporter.report(`${part}/unknown-code`, positionIn(code), params);
  return false;
}
