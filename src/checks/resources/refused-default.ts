/**
 * Part 2: a literal default must obey the rules of its field. Other defaults are checked when they
 * are evaluated.
 */
import type { Node } from "../../expressions/node.ts";
import type { Value } from "../../expressions/value.ts";
import { compileValueCheck, readAuthoredValue } from "../../fields/check-value.ts";
import { ruleOf } from "../../fields/rule.ts";
import { Refusal } from "../../fields/types/index.ts";
import type { Field } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const refusedDefault: Check = ({ resources }, reporter) => {
  for (const field of resources.flatMap((resource) => resource.fields)) {
    const value = ruleOf(field.rules, "default")?.value;
    const problem = value && problemOf(value.node, field);
    if (value && problem !== undefined)
      reporter.report("resources/refused-default", value.position, { field: field.name, problem });
  }
};

function problemOf(node: Node, { type, rules }: Field): string | undefined {
  const written = writtenValue(node);
  if (written === undefined || written === null) return undefined;
  const read = readAuthoredValue(written, type);
  return read instanceof Refusal
    ? read.words
    : compileValueCheck(type, rules, { fieldsOf: () => [], resource: () => undefined })?.(read);
}

/** The value of an expression without names and calls; undefined for any other. */
function writtenValue(node: Node): Value | undefined {
  if (node.op === "literal") return node.value as Value;
  if (node.op !== "list") return undefined;
  const items = node.items.map(writtenValue);
  return items.every((item) => item !== undefined) ? items : undefined;
}
