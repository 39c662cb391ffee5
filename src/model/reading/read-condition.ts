/**
 * Reads a condition on the records of a resource from outside the document: an operator's query in
 * the notation's expressions.
 */
import { createReporter, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { bindExpression } from "../../expressions/bind.ts";
import type { Node } from "../../expressions/node.ts";
import { types } from "../../expressions/type.ts";
import { phraseOf } from "../../source/phrase.ts";
import { createSource } from "../../source/source.ts";
import { meaningOf } from "../meaning.ts";
import type { Model } from "../model.ts";

export interface ConditionRead {
  /** Absent if the condition has mistakes. */
  readonly node?: Node;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a condition such as `this.price > 500 && this.shop.name == "Ada"`, where `this` is each record. */
export function readCondition(model: Model, resource: string, text: string): ConditionRead {
  const source = createSource("where", text);
  const reporter = createReporter(source);
  const { vocabulary } = meaningOf(model);
  const scope = {
    fixed: { now: types.timestamp, this: { kind: "record" as const, resource } },
    named: {},
    locals: [],
    vocabulary,
  };
  const bound = bindExpression(phraseOf(source, 0, text.length), scope, reporter, types.boolean);
  return { ...(bound ? { node: bound.node } : {}), diagnostics: reporter.diagnostics };
}
