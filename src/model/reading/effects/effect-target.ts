/**
 * Assignment target: a field of `this`, or a path that starts at a reference or a named record
 * (`charge.amount_refunded`). It never means an input, the caller or the request (decision "Fields
 * and names in assignments").
 */
import { nonNull } from "../../../support/non-null.ts";
import type { Expression, Node } from "../../../expressions/node.ts";
import type { Scope } from "../../../expressions/scope.ts";
import type { Type } from "../../../expressions/type.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import { positionOf } from "../../../source/source.ts";
import type { DeclaredResource } from "../declarations.ts";
import { reportUnknownField } from "../unknown-field.ts";
import type { BuildContext } from "../any-part/context.ts";
import { nearestHint } from "../nearest-hint.ts";

export interface EffectTarget {
  /** The resource whose field is set. */
  readonly resource: DeclaredResource;
  /** The record before the last dot. Absent for a field of `this`. */
  readonly of?: Expression;
}

export function bindTarget(
  path: readonly Phrase[],
  scope: Scope,
  context: BuildContext,
): EffectTarget | undefined {
  const names = path[0]?.text === "this" && path.length > 1 ? path.slice(1) : path;
  const self = resourceOf(scope.fixed.this, context);
  const [first, ...more] = names as [Phrase, ...Phrase[]];
  if (more.length === 0) {
    if (self) return { resource: self };
    context.reporter.report("states/no-record", positionIn(first), { name: first.text });
    return undefined;
  }
  let node = startOf(first, self, scope, context);
  for (const name of more.slice(0, -1)) node = node && stepTo(name, node, scope, context);
  const resource = node && resourceOf(node.type, context);
  if (!node || !resource) {
    if (node) reportNotRecord(nonNull(names.at(-2)), context);
    return undefined;
  }
  return { resource, of: expressionOf(names.slice(0, -1), node) };
}

/**
 * The start of a path such as `charge.amount`: the name of a record, or a reference of `this`. A name that is both is
 * a mistake.
 */
function startOf(
  name: Phrase,
  self: DeclaredResource | undefined,
  scope: Scope,
  { reporter }: BuildContext,
): Node | undefined {
  const named = Object.hasOwn(scope.named, name.text) ? scope.named[name.text] : undefined;
  const field = self?.fields.get(name.text);
  if (self && named && field) {
    reporter.report("states/ambiguous-target", positionIn(name), { name: name.text, resource: self.name });
    return undefined;
  }
  if (named) return { op: "named", name: name.text, type: named };
  if (self && field) {
    const of: Node = { op: "fixed", name: "this", type: scope.fixed.this as Type };
    return { op: "field", of, name: name.text, type: fieldType(self, name.text, scope) };
  }
  const known = [...Object.keys(scope.named), ...(self?.fields.keys() ?? [])];
  reporter.report("states/unknown-target", positionIn(name), {
    name: name.text,
    ...nearestHint(name.text, known),
  });
  return undefined;
}

function stepTo(name: Phrase, of: Node, scope: Scope, context: BuildContext): Node | undefined {
  const resource = resourceOf(of.type, context);
  if (!resource) return reportNotRecord(name, context);
  if (!resource.fields.has(name.text)) return reportUnknownField(name, resource, context.reporter);
  return { op: "field", of, name: name.text, type: fieldType(resource, name.text, scope) };
}

function fieldType(resource: DeclaredResource, field: string, scope: Scope): Type {
  return scope.vocabulary.resource(resource.name)?.fields.get(field)?.type ?? { kind: "any" };
}

function resourceOf(type: Type | undefined, context: BuildContext): DeclaredResource | undefined {
  return type?.kind === "record" ? context.declarations.resources.get(type.resource) : undefined;
}

function reportNotRecord(name: Phrase, { reporter }: BuildContext): undefined {
  reporter.report("states/not-a-reference", positionIn(name), { name: name.text });
}

function expressionOf(names: readonly Phrase[], node: Node): Expression {
  const [first, last] = [nonNull(names[0]), nonNull(names.at(-1))];
  const start = positionIn(first).start.offset;
  const end = positionIn(last).end.offset;
  return {
    text: names.map((name) => name.text).join("."),
    position: positionOf(first.source, start, end),
    node,
  };
}
