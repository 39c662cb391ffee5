/**
 * Part 4: the record of a response exists, or the request ended before. So `Returns … when this ==
 * null` never applies.
 */
import type { Node } from "../../expressions/node.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Check } from "../check.ts";
import { type Does, reachOf } from "../../model/endpoints/does.ts";

export const alwaysThere: Check = (model, reporter) => {
  for (const endpoint of model.endpoints) {
    if (!isAboutSingleRecord(endpoint)) continue;
    const names = new Set(endpoint.records.map((record) => record.name));
    for (const { when } of endpoint.returns) {
      const absent = when && requiresAbsence(when.node, names);
      if (!when || !absent) continue;
      const name = `${endpoint.method} ${endpoint.path.text || "/"}`;
      reporter.report("endpoints/always-there", when.position, { text: absent, endpoint: name });
    }
  }
};

/** Whether the response is about a single record, whatever the endpoint does. */
function isAboutSingleRecord({ does }: Endpoint): boolean {
  const isThere = (deed: Does) =>
    !["many", "none"].includes(reachOf(deed)) && !("ifAny" in deed && deed.ifAny);
  return does.length > 0 && does.every(isThere);
}

/** The name of a record whose absence the condition needs. */
function requiresAbsence(node: Node, records: ReadonlySet<string>): string | undefined {
  if (node.op === "and") return requiresAbsence(node.left, records) ?? requiresAbsence(node.right, records);
  if (node.op === "not") return nameOf(node.of, "!=", records);
  return nameOf(node, "==", records);
}

function nameOf(node: Node, operator: "==" | "!=", records: ReadonlySet<string>): string | undefined {
  if (node.op !== "binary" || node.operator !== operator) return undefined;
  const operand = isNull(node.left) ? node.right : isNull(node.right) ? node.left : undefined;
  if (operand?.op === "fixed" && operand.name === "this") return "this";
  return operand?.op === "named" && records.has(operand.name) ? operand.name : undefined;
}

function isNull(node: Node): boolean {
  return node.op === "literal" && node.value === null;
}
