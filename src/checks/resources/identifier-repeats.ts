/**
 * Part 2, `Identifier`: `sequence(repository)` counts within each repository, so records of
 * different repositories would have equal identifiers. Such a number identifies a record only
 * together with what it counts in.
 */
import type { Node } from "../../expressions/node.ts";
import type { Check } from "../check.ts";

export const identifierRepeats: Check = (model, reporter) => {
  for (const { name, identifier } of model.resources) {
    if (identifier.kind !== "made" || !identifier.by) continue;
    const within = countedWithin(identifier.by.node);
    if (within === undefined) continue;
    const params = { resource: name, field: identifier.field, within };
    reporter.report("resources/identifier-repeats", identifier.by.position, params);
  }
};

/** The field of the record within which the identifier counts: `repository`. */
function countedWithin(node: Node): string | undefined {
  if (node.op !== "call" || node.function !== "sequence") return undefined;
  const [within] = node.args;
  if (!within) return undefined;
  return within.op === "field" ? within.name : "…";
}
