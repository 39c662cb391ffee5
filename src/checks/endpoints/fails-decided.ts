/**
 * Part 4: `Fails` is evaluated after `Set` has changed `this`. A condition on a field that the
 * endpoint's own `Set` assigns is decided by then: it never fails the request, or always does.
 * `old` has the previous values.
 */
import { excludes } from "../../expressions/analysis/exclusion.ts";
import type { Node } from "../../expressions/node.ts";
import { fieldNode, notNull } from "../../expressions/nodes.ts";
import { types } from "../../expressions/type.ts";
import { hasRule } from "../../fields/rule.ts";
import { rulesOfForm } from "../../fields/rules/index.ts";
import { needsCaller } from "../../model/authentication/caller-type.ts";
import type { Effect, Endpoint, Model } from "../../model/model.ts";
import type { Check } from "../check.ts";
import { ofEndpoints } from "../of-endpoints.ts";

export const failsDecided: Check = ofEndpoints((endpoint, reporter, model) => {
  for (const { code, when, position } of endpoint.fails) {
    const denied: Node = { op: "not", of: when.node, type: types.boolean };
    for (const { field, facts } of factsOf(endpoint, model)) {
      const never = facts.some((fact) => excludes(fact, when.node));
      const holds = facts.some((fact) => excludes(fact, denied));
      if (!never && !holds) continue;
      reporter.report("endpoints/fails-decided", position, { code, holds, field });
      break;
    }
  }
});

type Assign = Extract<Effect, { readonly kind: "assign" }>;

/** The values of the fields that `Set` assigns in every case. */
function factsOf(endpoint: Endpoint, model: Model): readonly { field: string; facts: readonly Node[] }[] {
  const resource = model.resources.find(({ name }) => name === endpoint.resource);
  const own = endpoint.set.filter((effect): effect is Assign => effect.kind === "assign" && !effect.of);
  return own.flatMap(({ field, value: { node }, when }) => {
    const known = resource?.fields.find(({ name }) => name === field);
    const isPlain = known && rulesOfForm(known.rules).length === 0 && !hasRule(known.rules, "empty is null");
    if (!resource || !isPlain || when || own.filter((own) => own.field === field).length > 1) return [];
    const self: Node = { op: "fixed", name: "this", type: { kind: "record", resource: resource.name } };
    const at = fieldNode(self, field, node.type);
    if (node.op === "literal" && node.value === null) return [{ field, facts: [isNull(at)] }];
    const equal: Node = { op: "binary", operator: "==", left: at, right: node, type: types.boolean };
    if (node.op === "literal") return [{ field, facts: [equal, notNull(at), ...truth(at, node.value)] }];
    const isCaller = node.op === "fixed" && node.name === "caller" && needsCaller(model, endpoint);
    const isNow = node.op === "fixed" && node.name === "now";
    return isCaller || isNow ? [{ field, facts: [equal, notNull(at)] }] : [];
  });
}

function truth(at: Node, value: unknown): readonly Node[] {
  if (value === true) return [at];
  return value === false ? [{ op: "not", of: at, type: types.boolean }] : [];
}

function isNull(left: Node): Node {
  const right: Node = { op: "literal", value: null, type: { kind: "null" } };
  return { op: "binary", operator: "==", left, right, type: types.boolean };
}
