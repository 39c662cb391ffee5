/**
 * `- Where: any of title, pages by narrow(query.filter)`: conditions that requests write. The
 * function of the module reads a request's text, and the document lists the fields.
 */
import { bindExpression } from "../../../../expressions/bind.ts";
import { fieldNode } from "../../../../expressions/nodes.ts";
import type { Scope } from "../../../../expressions/scope.ts";
import { expressionType } from "../../../../fields/type.ts";
import { type Phrase, positionIn, unquote } from "../../../../source/phrase.ts";
import { afterWord } from "../../../../syntax/read.ts";
import type { DeclaredResource } from "../../declarations.ts";
import type { WhereChoice } from "../../../model.ts";
import { nearestHint } from "../../nearest-hint.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { isComparable } from "../inputs/input-fields.ts";
import { recordOf } from "../scopes.ts";
import { mayBeNamed, readAnyOf } from "./any-of.ts";

const form = "`any of title, pages by narrow(query.filter)`, with a function that returns a `condition`";

/** The phrase after `any of`, if a `Where` has this form. */
export function afterAnyOf(where: Phrase): Phrase | undefined {
  return afterWord(unquote(where), "any of");
}

/** Reports `any of` where one record is selected or a condition stands alone. */
export function reportAnyOf(where: Phrase, { reporter }: BuildContext): void {
  const expected = "a condition without `any of`, which only the `Where` of a list has";
  reporter.report("endpoints/unreadable", positionIn(where), { text: where.text, expected });
}

/** @param scope the scope of the expression, which has no candidate */
export function readWhereChoice(
  phrase: Phrase,
  resource: DeclaredResource,
  scope: Scope,
  ctx: BuildContext,
): WhereChoice | undefined {
  const read = readAnyOf(phrase, resource, form, ctx);
  if (!read) return undefined;
  const [more] = read.others;
  if (more) {
    ctx.reporter.report("endpoints/unreadable", positionIn(more), { text: more.text, expected: form });
    return undefined;
  }
  const of = read.names.flatMap((name) => readField(name, resource, ctx) ?? []);
  if (/^[A-Za-z_]\w*$/.test(read.by.text)) {
    reportWithoutCall(read.by, scope, ctx);
    return undefined;
  }
  const condition = bindExpression(read.by, { ...scope, isCondition: true }, ctx.reporter);
  if (!condition || of.length < read.names.length) return undefined;
  const { node } = condition;
  if (node.op === "call" && scope.vocabulary.handlerFunction(node.function)?.isCondition)
    return { of, condition, position: positionIn(read.by) };
  ctx.reporter.report("endpoints/unreadable", positionIn(read.by), { text: read.by.text, expected: form });
  return undefined;
}

/** Reports the name of a function, or another word, where a call must be. */
function reportWithoutCall(by: Phrase, { vocabulary }: Scope, { reporter }: BuildContext): void {
  const { text } = by;
  const known = (vocabulary.handlerFunctionNames ?? []).filter(
    (name) => vocabulary.handlerFunction(name)?.isCondition,
  );
  const at = positionIn(by);
  if (known.includes(text)) reporter.report("endpoints/unreadable", at, { text, expected: form });
  else reporter.report("endpoints/unknown-word", at, { text, what: "function", ...nearestHint(text, known) });
}

function readField(
  name: Phrase,
  resource: DeclaredResource,
  ctx: BuildContext,
): WhereChoice["of"][number] | undefined {
  const field = resource.fields.get(name.text);
  if (!field) {
    if (resource.gap && resource.fields.size === 0) return undefined;
    const params = {
      name: name.text,
      resource: resource.name,
      ...nearestHint(name.text, resource.fields.keys()),
    };
    ctx.reporter.report("endpoints/unknown-field", positionIn(name), params);
    return undefined;
  }
  const { type } = field;
  const compared = type.kind === "list" ? { ...field, type: type.of } : field;
  if (!mayBeNamed(compared, name, ctx) || !isComparable(compared, name, false, ctx)) return undefined;
  const node = fieldNode(
    { op: "fixed", name: "this", type: recordOf(resource) },
    field.name,
    expressionType(type),
  );
  return { name: name.text, by: { text: name.text, position: positionIn(name), node } };
}
