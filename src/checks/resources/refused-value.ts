/**
 * Part 2: what the document sets must obey the rules of its field. An expression that reads nothing
 * (`uuid()`, `"cus_" + random(14)`, `9`) is evaluated a number of times, with fixed randomness.
 * Other expressions are checked when they are evaluated, and a literal default by another check.
 */
import { compileFunction, CostExceeded, newFrame, readsStore } from "../../expressions/evaluate.ts";
import { sequenceOf } from "../../expressions/special-functions.ts";
import { someNode } from "../../expressions/nodes.ts";
import { functionNamed } from "../../expressions/functions/index.ts";
import type { Node } from "../../expressions/node.ts";
import type { Value } from "../../expressions/value.ts";
import { compileTypeCheck } from "../../fields/check-type.ts";
import { compileValueCheck } from "../../fields/check-value.ts";
import { ruleOf } from "../../fields/rule.ts";
import { compileToStored } from "../../fields/stored-form.ts";
import { expressionForPattern } from "../../model/resources/expression-for-pattern.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Expression } from "../../expressions/node.ts";
import type { Field, Model } from "../../model/model.ts";
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import { ofAssignments } from "../assignments.ts";
import type { Check } from "../check.ts";
import { samplePorts } from "../sample-ports.ts";

/** How often an expression with chance is evaluated. */
const samplesMax = 64;

/** Types whose values an expression gives in the form in which they are stored. */
const plainKinds: ReadonlySet<string> = new Set([
  "string",
  "integer",
  "number",
  "enum",
  "uuid",
  "email",
  "uri",
]);

/** Operators of expressions that read nothing. */
const closedOps: ReadonlySet<Node["op"]> = new Set([
  "literal",
  "not",
  "negate",
  "and",
  "or",
  "if",
  "binary",
  "list",
  "map",
  "call",
]);

export const refusedValue: Check = (model, reporter) => {
  for (const { fields, identifier } of model.resources) {
    for (const field of fields) {
      const { by } = identifier.kind === "made" && identifier.field === field.name ? identifier : {};
      const initial = ruleOf(field.rules, "default")?.value;
      const values = [
        by,
        isWritten(initial?.node) ? undefined : initial,
        ruleOf(field.rules, "on create")?.value,
        ruleOf(field.rules, "on update")?.value,
      ];
      for (const value of values) if (value) checkValue(model, field, value, reporter);
    }
  }
};

export const refusedAssignment: Check = ofAssignments(({ resource, fields }, reporter, model) => {
  const known = model.resources.find(({ name }) => name === resource)?.fields;
  for (const { field: name, value } of fields) {
    const field = known?.find((field) => field.name === name);
    if (field) checkValue(model, field, value, reporter);
  }
});

/** Whether another check handles a default: it is written as a literal. */
function isWritten(node: Node | undefined): boolean {
  return node !== undefined && !someNode(node, ({ op }) => op !== "literal" && op !== "list");
}

function checkValue(model: Model, field: Field, { node, position }: Expression, reporter: Reporter): void {
  const broken = brokenValue(model, field, node);
  if (!broken) return;
  const pattern = ruleOf(field.rules, "pattern")?.pattern;
  const instead = pattern === undefined ? undefined : expressionForPattern(pattern);
  reporter.report(
    "resources/refused-value",
    position,
    { field: field.name, ...broken, ...(instead === undefined ? {} : { instead }) },
    [{ message: "The field is defined here.", position: field.position }],
  );
}

interface Broken {
  readonly value: string;
  readonly problem: string;
}

/** A value of an expression that breaks the rules of a field. Undefined if none was found. */
function brokenValue(model: Model, { type, rules, gap }: Field, node: Node): Broken | undefined {
  if (gap || !plainKinds.has(type.kind)) return undefined;
  const known = { fieldsOf: () => [], resource: () => undefined };
  const keep = compileToStored(type, rules, known.fieldsOf);
  const ofType = compileTypeCheck(type, rules, known);
  const ofRules = compileValueCheck(type, rules, known);
  for (const sample of samplesOf(model, node)) {
    if (sample === null) continue;
    const value = keep ? keep(sample) : sample;
    const problem = ofType(value)?.problem ?? ofRules?.(value);
    if (problem !== undefined) return { value: JSON.stringify(value).slice(0, 60), problem };
  }
  return undefined;
}

/** Values of an expression that reads nothing; none for any other. */
function samplesOf(model: Model, node: Node): readonly Value[] {
  // A sequence begins with 1.
  if (sequenceOf(node)) return [1];
  if (someNode(node, (inner) => !isClosed(inner))) return [];
  const meaning = meaningOf(model);
  if (readsStore(node, meaning)) return [];
  const evaluate = compileFunction(node, meaning);
  const hasChance = someNode(
    node,
    (inner) => inner.op === "call" && functionNamed(inner.function)?.isNewEachTime === true,
  );
  const frame = newFrame(samplePorts());
  try {
    return Array.from({ length: hasChance ? samplesMax : 1 }, () => evaluate(frame));
  } catch (error) {
    if (error instanceof CostExceeded) return [];
    throw error;
  }
}

function isClosed(node: Node): boolean {
  if (node.op !== "call") return closedOps.has(node.op);
  const called = functionNamed(node.function);
  return called !== undefined && (called.deterministic || called.isNewEachTime === true);
}
