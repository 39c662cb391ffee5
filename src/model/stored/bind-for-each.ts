/**
 * `For each` of a stored change as an effect on the current store. It is bound again there, because
 * only the store knows the form of `old`.
 */
import { createReporter, type Diagnostic, type Reporter } from "../../diagnostics/diagnostic.ts";
import { bindExpression } from "../../expressions/bind.ts";
import type { Node } from "../../expressions/node.ts";
import { fieldNode, withParts } from "../../expressions/nodes.ts";
import { withFixed } from "../../expressions/scope.ts";
import { type Type, types } from "../../expressions/type.ts";
import { type Phrase, phraseOf, positionIn } from "../../source/phrase.ts";
import { createSource, type Position } from "../../source/source.ts";
import { parseEffects } from "../../syntax/effects.ts";
import type { StoredEffect, StoredForEach } from "../model.ts";
import { unanswerable } from "../../expressions/evaluate.ts";
import { expressionsAllowed } from "./allowed.ts";
import { bindStoredEffects, expectedOf } from "./bind-effects.ts";
import { scopeOfStep, type StoredTimes, expectedTypeBefore } from "./vocabulary.ts";

export interface BoundForEach {
  /** The effects without mistakes. */
  readonly effects: readonly StoredEffect[];
  /** Diagnostics with positions in the document. Empty if everything could be bound. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Resource names in the expressions' nodes (`collection`, `record`) are those before the step, and
 * `new X` is a record of a new resource X. Names in the effects (`create X`, assigned fields) are
 * those after it. `old` is a record whose references can be followed; `this` is an object with the
 * fields of the step's result, its references being keys.
 * @param file the document's name in diagnostics
 */
export function bindForEach(forEach: StoredForEach, times: StoredTimes, file: string): BoundForEach {
  const { text, position } = forEach.effects;
  const source = createSource(file, text);
  const reporter = createReporter(source);
  const effects = bindPhrase(phraseOf(source, 0, text.length), forEach, times, reporter);
  const placed = (at: Position): Position => within(position, text, at);
  return {
    effects: effects.map((effect) => ({ ...effect, position: placed(effect.position) })),
    diagnostics: reporter.diagnostics.map((diagnostic) => ({
      ...diagnostic,
      position: placed(diagnostic.position),
    })),
  };
}

/** The same for the text of the document, in which each mistake has its own position. */
export function bindPhrase(
  phrase: Phrase,
  forEach: Pick<StoredForEach, "resource" | "replaces">,
  times: StoredTimes,
  reporter: Reporter,
): readonly StoredEffect[] {
  const { resource, replaces } = forEach;
  if (replaces !== undefined) return bindReplaced(phrase, { resource, field: replaces }, times, reporter);
  return bindStoredEffects(parseEffects(phrase, reporter), resource, times, reporter);
}

/** Binds `Replaced: Parcel.weight, new <expr of old> … , stored`, where `old` is the former value of the field. */
function bindReplaced(
  phrase: Phrase,
  { resource, field }: { readonly resource: string; readonly field: string },
  times: StoredTimes,
  reporter: Reporter,
): readonly StoredEffect[] {
  const scope = scopeOfStep(times, resource);
  const was = times.step.renamed.find(
    (rename) =>
      rename.kind === "field" &&
      rename.resource === resource &&
      rename.to.length === 1 &&
      rename.to[0] === field,
  );
  const before = was?.kind === "field" ? (was.from[0] as string) : field;
  const record = scope.fixed.old ?? types.any;
  const words = record.kind === "record" ? scope.vocabulary.resource(record.resource) : undefined;
  const type = words?.fields.get(before)?.type ?? types.any;
  const expectedType = times.after.resources.get(resource)?.fields.get(field)?.type;
  const expected = expectedType && expectedTypeBefore(times, expectedType);
  const inner = withFixed(scope, { old: type });
  const bound = bindExpression(
    phrase,
    inner,
    reporter,
    expectedOf(phrase, { scope: inner, times, reporter }, expected),
  );
  if (!bound || !expressionsAllowed(bound, { times, scope: inner, findUnanswerable: unanswerable }, reporter))
    return [];
  const node = readingField(bound.node, fieldNode({ op: "fixed", name: "old", type: record }, before, type));
  const position = positionIn(phrase);
  return [{ kind: "assign", field, fieldAt: position, value: { ...bound, node }, position }];
}

function readingField(node: Node, old: Node & { readonly type: Type }): Node {
  if (node.op === "fixed" && node.name === "old") return old;
  return withParts(node, (part) => readingField(part, old));
}

/** Converts a position in the phrase to one in the document. For a continued line, it is that of the complete item. */
function within(whole: Position, text: string, { start, end }: Position): Position {
  if (whole.end.offset - whole.start.offset !== text.length || whole.start.line !== whole.end.line)
    return whole;
  const point = (at: number) => ({
    line: whole.start.line,
    column: whole.start.column + at,
    offset: whole.start.offset + at,
  });
  return { start: point(start.offset), end: point(end.offset) };
}
