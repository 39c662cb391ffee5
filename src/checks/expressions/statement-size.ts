/**
 * Long statements: a request's query is one statement in which computed fields and shapes are
 * inlined at each use. The length of its text is up to about 75 characters for each name, value or
 * operator. From `warned` pieces on it may exceed the longest statement that is executed
 * (`statementLengthMax`); beyond `refused` pieces it always does.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Expression } from "../../expressions/node.ts";
import { createInlinedSize, type InlinedSize } from "../../expressions/analysis/inlined-size.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { Position } from "../../source/source.ts";
import type { Check } from "../check.ts";

/**
 * Number of names, values and operators of one statement, including inlined computed fields and
 * shapes.
 */
export const inlinedPieces = { warned: 3_500, refused: 200_000 };

export const longInPlace: Check = (model, reporter) => {
  const measure = createInlinedSize(meaningOf(model));
  const places = new Set<string>();
  /**
   * Bodies that were reported, by code. An expression that is too long only because of one of them
   * isn't reported again.
   */
  const reported = { "long-in-place": new Set<string>(), "too-long-in-place": new Set<string>() };
  const report = (position: Position, { size, most }: InlinedSize, name?: string): void => {
    const location = `${position.start.line}:${position.start.column}`;
    if (size <= inlinedPieces.warned || places.has(location)) return;
    places.add(location);
    const code = size > inlinedPieces.refused ? "too-long-in-place" : "long-in-place";
    const isKnown = most !== undefined && reported[code].has(most.name);
    if (name !== undefined) reported[code].add(name);
    if (isKnown) return;
    reporter.report(`expressions/${code}`, position, { size, ...(most ? { most: most.name } : {}) });
  };
  for (const { expression, name } of bodiesOf(model))
    report(expression.position, measure([expression.node]), name);
  for (const { expression, path } of expressionsIn(model))
    if (!path.startsWith("scenarios")) report(expression.position, measure([expression.node]));
  for (const endpoint of model.endpoints)
    report(endpoint.position, measure(evaluatedTogether(endpoint).map((expression) => expression.node)));
};

/** Computed fields and shapes, reported where they are declared. */
function bodiesOf(model: Model): readonly { readonly expression: Expression; readonly name: string }[] {
  const computed = model.resources.flatMap(({ name, fields }) =>
    fields.flatMap((field) => {
      const rule = ruleOf(field.rules, "computed");
      return rule ? [{ expression: rule.value, name: `${name}.${field.name}` }] : [];
    }),
  );
  return [...computed, ...model.shapes.map(({ name, body }) => ({ expression: body, name }))];
}

/** The expressions that are evaluated for each record of a list. */
function evaluatedTogether({
  does,
  where,
  whereChoices = [],
  inputs,
  order,
}: Endpoint): readonly Expression[] {
  if (does.every((action) => action.kind !== "list")) return [];
  const filters = inputs.flatMap(({ filter }) => (filter?.kind === "condition" ? [filter.condition] : []));
  return [
    ...where,
    ...filters,
    ...whereChoices.flatMap(({ of }) => of.map(({ by }) => by)),
    ...order.flatMap(({ keys, choice }) => [...keys, ...(choice?.of ?? [])].map((key) => key.by)),
  ];
}
