/**
 * Part 2, `any case`: it ignores the case of A to Z, and `lower` and `upper` map all characters. A
 * comparison of `lower(this.email)` therefore finds values equal that the rule keeps apart: `É` and
 * `é` are two values of a `unique` field with `any case`.
 */
import { isAnyCase } from "../../expressions/any-case.ts";
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Node } from "../../expressions/node.ts";
import { walk } from "../../expressions/nodes.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Check } from "../check.ts";

export const otherCase: Check = (model, reporter) => {
  const { vocabulary } = meaningOf(model);
  const mapped = (node: Node) => {
    if (node.op !== "call" || (node.function !== "lower" && node.function !== "upper")) return undefined;
    const [field] = node.args;
    return field?.op === "field" && isAnyCase(field, vocabulary)
      ? { function: node.function, field: field.name }
      : undefined;
  };
  for (const { expression } of expressionsIn(model)) {
    let found: ReturnType<typeof mapped>;
    walk(expression.node, (node) => {
      if (node.op === "binary" && node.type.kind === "boolean")
        found ??= mapped(node.left) ?? mapped(node.right);
    });
    if (found) reporter.report("expressions/other-case", expression.position, found);
  }
};
