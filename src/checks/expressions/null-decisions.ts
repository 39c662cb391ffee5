/**
 * Null decisions: places where a null decides silently. It passes a `Fails`, widens `Allowed`, `Visible` or `Where`,
 * breaks an `Always` permanently, overwrites a stored value, or ends a request with an internal error. A null that
 * only rejects a request is not reported.
 */
import type { Node } from "../../expressions/node.ts";
import { causesOf, inputPath } from "../../model/nullness/causes.ts";
import { decidedByNull } from "../../model/nullness/null-comparisons.ts";
import { describeNode } from "../../model/nullness/describe.ts";
import { type Cause, keyOf, type Place, type Why } from "../../model/nullness/place.ts";
import { someNode } from "../../expressions/nodes.ts";
import { hasRule } from "../../fields/rule.ts";
import { reportingOnce } from "../../diagnostics/deduplicate.ts";
import type { MayBeNull } from "../../diagnostics/codes/nullness.ts";
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import type { Model } from "../../model/model.ts";
import { nullnessOf } from "../../model/nullness/nullness.ts";
import type { Check } from "../check.ts";
import { type ConditionSite, type NullnessSite, nullnessSites } from "../nullness-sites.ts";

export const nullDecides: Check = (model, reporter) => {
  const once = reportingOnce(reporter);
  for (const site of nullnessSites(model, nullnessOf(model, "expected"))) {
    if (site.kind === "assignment") reportAssignment(site, model, once);
    else reportCondition(site, once);
  }
};

/**
 * Causes of a null that get no warning: authors expect that an input may be absent, and without a known type a
 * warning would be a guess.
 */
const isMeant: ReadonlySet<Why> = new Set(["not sent", "unknown", "literal"]);

const surprising = (causes: readonly Cause[]) => causes.filter(({ why }) => !isMeant.has(why));

function mayBeNull({ node }: Cause): MayBeNull {
  return { value: describeNode(node), isField: node.op === "field" && inputPath(node) === undefined };
}

// ── Conditions ──────────────────────────────────────────────────────────────────────────────────

function reportCondition({ kind, condition, place, nullPasses }: ConditionSite, reporter: Reporter): void {
  for (const { atom, causes, permits } of decidedByNull(condition.node, kind !== "Fails", place)) {
    const [cause] = surprising(causes);
    if (!cause) continue;
    const value = mayBeNull(cause);
    if (kind === "Fails") {
      if (permits && isOrder(atom) && !nullPasses)
        reporter.report("expressions/null-passes", condition.position, value);
    } else if (kind === "Always") {
      if (!permits) reporter.report("expressions/null-breaks-always", condition.position, value);
    } else if (permits && atom.op === "binary") {
      reporter.report("expressions/null-permits", condition.position, { ...value, item: kind });
    }
  }
}

function isOrder(node: Node): boolean {
  return node.op === "binary" && ["<", "<=", ">", ">="].includes(node.operator);
}

// ── Assignments ─────────────────────────────────────────────────────────────────────────────────

type AssignmentSite = Extract<NullnessSite, { kind: "assignment" }>;

function reportAssignment(site: AssignmentSite, model: Model, reporter: Reporter): void {
  const { resource, field, value, place, of, at } = site;
  const declared = model.resources
    .find(({ name }) => name === resource)
    ?.fields.find(({ name }) => name === field);
  if (!declared) return;
  const all = causesOf(value.node, place);
  if (all.some(({ why }) => why === "unknown")) return;
  const causes = surprising(all);
  const isRequired = hasRule(declared.rules, "required") || declared.role !== "plain";
  if (isRequired) {
    const [cause] = causes.filter(({ why }) => at === "endpoint" || why !== "none found");
    if (cause)
      reporter.report("expressions/null-required", value.position, {
        ...mayBeNull(cause),
        field: `${resource}.${field}`,
        at,
      });
    return;
  }
  const own = of && fieldsReadOfItself(value.node, field, of, place);
  if (!own || !isComputed(value.node)) return;
  const [cause] = causes;
  if (cause) reporter.report("expressions/null-overwrites", value.position, { ...mayBeNull(cause), field });
}

/** Whether the new value depends on the old one. */
function fieldsReadOfItself(node: Node, field: string, of: Node, place: Place): boolean {
  const owner = keyOf(of, place);
  return someNode(node, (part) => {
    if (part.op !== "field" || part.name !== field) return false;
    const isOld = part.of.op === "fixed" && part.of.name === "old" && of.op === "fixed";
    return isOld || keyOf(part.of, place) === owner;
  });
}

/** Whether an operator or a function is outermost, so that the null isn't the value that the author names. */
function isComputed(node: Node): boolean {
  if (node.op === "if") return isComputed(node.then) || isComputed(node.else);
  if (node.op === "call") return !["or", "min", "max"].includes(node.function);
  return node.op === "negate" || (node.op === "binary" && node.type.kind !== "boolean");
}
