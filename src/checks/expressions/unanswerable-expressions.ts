/**
 * Expressions become functions or statements, and some can be neither. The store alone selects and
 * sorts stored records, and it has no `verify`, no `random` and no handler functions. `sequence()`
 * works only where a field is set. The check covers every expression of the model, and every
 * computed field by which an input filters.
 */
import {
  readsStore,
  unanswerable,
  unanswerableInAnswer,
  unanswerableOfRecords,
} from "../../expressions/evaluate.ts";
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { fieldNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { types } from "../../expressions/type.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Model } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const unanswerableExpressions: Check = (model, reporter) => {
  const meaning = meaningOf(model);
  const watching = watchingGuards(model, meaning);
  for (const { expression, path } of expressionsIn(model)) {
    if (isSequence(expression) && !setsField(path)) {
      reporter.report("expressions/sequence-elsewhere", expression.position, {});
      continue;
    }
    const picks = picksRecords(path) || watching.has(expression);
    const findUnanswerable = picks
      ? unanswerableOfRecords
      : isReturned(path)
        ? unanswerableInAnswer
        : unanswerable;
    const name = findUnanswerable(expression.node, meaning);
    if (name !== undefined)
      reporter.report("expressions/unanswerable", expression.position, { function: name, picks });
  }
  for (const { resource, inputs } of model.endpoints) {
    for (const { filter, position } of inputs) {
      if (resource === undefined || !filter || filter.kind === "condition") continue;
      const record: Node = { op: "fixed", name: "this", type: { kind: "record", resource } };
      const name = unanswerableOfRecords(fieldNode(record, filter.field, types.any), meaning);
      if (name !== undefined)
        reporter.report("expressions/unanswerable", position, { function: name, picks: true });
    }
  }
};

/**
 * Guards of `immediately` that read other records: when one of those changes, a query finds the
 * records whose guards hold.
 */
function watchingGuards({ resources }: Model, meaning: Meaning): ReadonlySet<Expression> {
  const ends = resources.flatMap(
    ({ states }) => states?.transitions.flatMap((transition) => transition.ends) ?? [],
  );
  const guards = ends.flatMap(({ trigger, guard }) =>
    guard && trigger.kind === "immediately" ? [guard.condition] : [],
  );
  return new Set(guards.filter(({ node }) => readsStore(node, meaning)));
}

function isSequence({ node }: Expression): boolean {
  return node.op === "call" && node.function === "sequence";
}

// ── Where an expression stands ──────────────────────────────────────────────────────────────────

/** Paths in the model to an expression, without positions in lists: `resources.visible`. */
type Path = string;

/** Conditions and orders over stored records, which become the WHERE and the ORDER BY of statements. */
const picking: readonly RegExp[] = [
  /^resources\.visible$/,
  /\.where$/,
  /^endpoints\.inputs\.filter\.condition$/,
  /\.by\.by$/,
  /\.order\.(?:keys|choice\.of)\.by$/,
];

/** The expressions that give a field its value. */
const setting: readonly RegExp[] = [
  /^resources\.identifier\.by$/,
  /^resources\.fields\.rules\.(?:on create|default)\.value$/,
  /\.(?:set|effects)\.value$/,
  /\.(?:set|effects)\.(?:fields|set)\.value$/,
];

function picksRecords(path: Path): boolean {
  return picking.some((pattern) => pattern.test(path));
}

/** Bodies of shapes are checked at each use, because responses allow more functions. */
function isReturned(path: Path): boolean {
  return /^(?:endpoints\.returns|shapes|resources\.fields\.rules\.computed)\./.test(path);
}

function setsField(path: Path): boolean {
  return setting.some((pattern) => pattern.test(path));
}
