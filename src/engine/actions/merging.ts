/**
 * Input merging: merges inputs into a record. These are `merged` maps of an endpoint's inputs, and
 * merge patches (RFC 7396).
 */
import { isObject, type Value } from "../../expressions/value.ts";
import { compileValueCheck } from "../../fields/check-value.ts";
import { hasRule, isServiceSet } from "../../fields/rule.ts";
import { compileChecks } from "../../fields/rules/index.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import type { Endpoint } from "../../model/model.ts";
import { acceptedTypes, bareType, mergePatchType } from "../../model/endpoints/media-type.ts";
import { engineDefaults } from "../defaults.ts";
import type { ParsedInputs } from "../request-context.ts";
import { boundsOf } from "../limits/bounds.ts";
import { type ProblemDetail, Problem } from "../problem.ts";
import type { Values } from "../records/change.ts";
import { mergeMaps } from "../records/merge-maps.ts";
import { mergePatch } from "../records/merge-patch.ts";
import { withPartDefaults } from "../records/part-defaults.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { toWireForm } from "../records/stored-form.ts";

type Before = { readonly [field: string]: Value };

/**
 * Merges the inputs.
 * @throws Problem that names the input
 */
type Merge = (before: Before, values: Values, inputs: Pick<ParsedInputs, "merges">) => Values;

/**
 * Plans the merging of inputs into `values`. The result is never larger than one request could
 * send.
 */
export function planMerging(context: PlanContext, plan: ResourcePlan, endpoint: Endpoint): Merge {
  const bytesMax = Math.max(
    boundsOf(context.model.limits, endpoint).bodyBytesMax,
    engineDefaults.bodyBytesMax,
  );
  const maps = planMaps(context, plan, endpoint, bytesMax);
  const patch = acceptedTypes(context.model.endpointsPart, endpoint).some(
    (type) => bareType(type) === mergePatchType,
  )
    ? planPatch(context, plan, endpoint, bytesMax)
    : undefined;
  return (before, values, { merges }) => (merges && patch ? patch(before, values) : maps(before, values));
}

/** Plans `merged` maps. The maximum number of keys applies to the merged result. */
function planMaps(
  context: PlanContext,
  plan: ResourcePlan,
  endpoint: Endpoint,
  bytesMax: number,
): (before: Before, values: Values) => Values {
  const mergedInputs = endpoint.inputs.flatMap(({ sets: field, name, type, rules }) => {
    if (field === undefined || !plan.mergedFields.includes(field)) return [];
    const counts = rules.filter(({ rule }) => rule === "items");
    return [{ field, name: name.join("."), type, checks: compileChecks(counts, type) }];
  });
  return (before, values) => {
    const sent = mergedInputs.length === 0 ? values : { ...values };
    const merged = mergeMaps(plan, before, values);
    const details = mergedInputs.flatMap(({ field, name, type, checks }) => {
      if (!(field in sent)) return [];
      const mergedValue = merged[field] as Value;
      const detail = (problem: string): ProblemDetail => {
        const value = toWireForm(context, type, sent[field] as Value);
        return { condition: "invalid field", resource: plan.name, field: name, value, problem };
      };
      if (isLonger(mergedValue, bytesMax)) return [detail(`must not hold more than ${bytesMax} bytes`)];
      return checks.flatMap((check): ProblemDetail[] => {
        const problem = check(mergedValue);
        return problem === undefined ? [] : [{ ...detail(problem), rule: check.rule }];
      });
    });
    if (details.length > 0) throw new Problem(details);
    return merged;
  };
}

function isLonger(value: Value, bytesMax: number): boolean {
  return Buffer.byteLength(JSON.stringify(value)) > bytesMax;
}

/** Plans a merge patch: the merged value of a field is validated like a sent value. */
function planPatch(
  context: PlanContext,
  plan: ResourcePlan,
  endpoint: Endpoint,
  bytesMax: number,
): (before: Before, values: Values) => Values {
  const partsOf = (resource: string): readonly FieldPart[] =>
    context.resource(resource).stored.filter(({ rules }) => !isServiceSet(rules));
  const known = { fieldsOf: partsOf, resource: context.reading.resource };
  const fields = endpoint.inputs.flatMap(({ sets: field, in: location, name, type, rules }) =>
    field === undefined || location !== "body"
      ? []
      : [{ field, name: name.join("."), type, check: compileValueCheck(type, rules, known) }],
  );
  return (before, values) => {
    const details: ProblemDetail[] = [];
    for (const { field, name, type, check } of fields) {
      const sent = values[field];
      if (sent === undefined) continue;
      if (sent === null || !isObject(sent)) {
        if (sent === null && plan.mergedFields.includes(field)) values[field] = {};
        continue;
      }
      const mergedValue = withPartDefaults(context, type, mergePatch(before[field], sent));
      values[field] = mergedValue;
      const detail = (condition: ProblemDetail["condition"], at: string, problem: string): ProblemDetail => ({
        condition,
        resource: plan.name,
        field: at,
        value: toWireForm(context, type, sent),
        problem,
      });
      const missing = missingPart(type, mergedValue, partsOf, name);
      const problem = check?.(mergedValue);
      if (isLonger(mergedValue, bytesMax))
        details.push(detail("invalid field", name, `must not hold more than ${bytesMax} bytes`));
      else if (missing !== undefined) details.push(detail("missing field", missing, "is required"));
      else if (problem !== undefined) details.push(detail("invalid field", name, problem));
    }
    if (details.length > 0) throw new Problem(details);
    return values;
  };
}

/** Returns the dotted name of the first required part that a value lacks. */
function missingPart(
  type: FieldType,
  value: Value | undefined,
  partsOf: (resource: string) => readonly FieldPart[],
  name: string,
): string | undefined {
  if (value === undefined || !isObject(value)) return undefined;
  if (type.kind === "map") {
    const found = Object.keys(value).map((key) =>
      missingPart(type.of, value[key], partsOf, `${name}.${key}`),
    );
    return found.find((candidate) => candidate !== undefined);
  }
  const parts = type.kind === "object" ? type.parts : type.kind === "value" ? partsOf(type.resource) : [];
  for (const part of parts) {
    const at = `${name}.${part.name}`;
    const own = value[part.name] ?? null;
    if (own === null && hasRule(part.rules, "required")) return at;
    const missing = missingPart(part.type, own, partsOf, at);
    if (missing !== undefined) return missing;
  }
  return undefined;
}
