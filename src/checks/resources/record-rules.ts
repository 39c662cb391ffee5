/**
 * Part 2, `Records of`: a row obeys `Always` and `Fails` of its resource. Only rules that the row
 * alone decides are evaluated. The others are checked at the start.
 */
import { withBodies } from "../../expressions/analysis/bodies.ts";
import { ownFieldsRead } from "../../expressions/analysis/own-fields.ts";
import { compileFunction, CostExceeded, newFrame, readsStore } from "../../expressions/evaluate.ts";
import { functionNamed } from "../../expressions/functions/index.ts";
import type { Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { Value } from "../../expressions/value.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Model, Resource } from "../../model/model.ts";
import type { FieldType } from "../../fields/type.ts";
import { compileToStored } from "../../fields/stored-form.ts";
import { creationValue } from "../../model/resources/creation-value.ts";
import { ownRecordOf } from "../../model/resources/own-record.ts";
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import type { Check } from "../check.ts";
import { samplePorts } from "../sample-ports.ts";

export const recordRules: Check = (model, reporter) => {
  for (const resource of model.resources)
    if (resource.records.length > 0 && !resource.gap && !resource.openItems?.records)
      checkRecords(resource, model, reporter);
};

function checkRecords(resource: Resource, model: Model, reporter: Reporter): void {
  const meaning = meaningOf(model);
  const own = ownRecordOf(resource, meaning);
  const rules = [
    ...resource.always.map((always) => ({ kind: "Always", broken: false, rule: always })),
    ...resource.fails.map(({ when }) => ({ kind: "Fails", broken: true, rule: when })),
  ];
  for (const { kind, broken, rule } of rules) {
    const { node, text, position } = rule;
    if (!isOfRecordAlone(node, meaning)) continue;
    const evaluate = compileFunction(node, meaning);
    const read = [...ownFieldsRead(node, own)];
    const others = new Map(read.map((name) => [name, valueWithout(resource, name, meaning)]));
    for (const { fields, position: row } of resource.records) {
      const values = read.map((name) => [
        name,
        Object.hasOwn(fields, name) ? fields[name] : others.get(name),
      ]);
      if (values.some(([, value]) => value === undefined)) continue;
      const value = withinCost(() => evaluate(newFrame(samplePorts(), { this: Object.fromEntries(values) })));
      if (broken ? value !== true : value === true || value === undefined) continue;
      const params = { resource: resource.name, kind, rule: text };
      const related = [{ message: "The rule is defined here.", position }];
      reporter.report("resources/record-refused", row, params, related);
    }
  }
}

/** Whether the record decides a rule: nothing that is stored, that the caller sends, or that chance gives. */
function isOfRecordAlone(node: Node, meaning: Meaning): boolean {
  const isOther = (part: Node): boolean =>
    part.op === "fixed"
      ? part.name !== "this"
      : part.op === "call" && functionNamed(part.function)?.deterministic !== true;
  return !readsStore(node, meaning) && !withBodies(node, meaning).some((body) => someNode(body, isOther));
}

/** Whether an expression has the same value in every record. */
function isConstant(node: Node, meaning: Meaning): boolean {
  return (
    isOfRecordAlone(node, meaning) &&
    !withBodies(node, meaning).some((body) =>
      someNode(body, ({ op }) => op === "fixed" || op === "named" || op === "parameter"),
    )
  );
}

/** Whether values have parts, which have defaults of their own. */
function hasParts(type: FieldType): boolean {
  if (type.kind === "list" || type.kind === "map") return hasParts(type.of);
  return type.kind === "object" || type.kind === "value";
}

/** The value of a field that the row doesn't state; undefined if only the start knows it. */
function valueWithout(resource: Resource, name: string, meaning: Meaning): Value | undefined {
  const field = resource.fields.find((candidate) => candidate.name === name);
  if (!field) return undefined;
  const created = creationValue(resource, field);
  if (!created) return field.role === "plain" ? null : undefined;
  if (hasParts(field.type) || !isConstant(created, meaning)) return undefined;
  const value = withinCost(() => compileFunction(created, meaning)(newFrame(samplePorts(), {})));
  const stored = compileToStored(field.type, field.rules, () => []);
  return stored && value !== undefined ? stored(value) : value;
}

/** Undefined if the evaluation would take too long. */
function withinCost(evaluate: () => Value): Value | undefined {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof CostExceeded) return undefined;
    throw error;
  }
}
