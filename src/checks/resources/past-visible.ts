/**
 * Part 2, `Visible`: hidden records don't exist for a request, but expressions read all records. A
 * collection that isn't tied to the loaded records discloses hidden ones in a response, a count, a
 * condition or an event. Effects and timed transitions are meant to read all records.
 */
import type { Expression, Node } from "../../expressions/node.ts";
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { isSameText } from "../../expressions/analysis/exclusion.ts";
import {
  conjuncts,
  disjuncts,
  namedNode,
  partsOfNode,
  someNode,
  withParts,
} from "../../expressions/nodes.ts";
import { hasRule } from "../../fields/rule.ts";
import type { Model, Resource } from "../../model/model.ts";
import { identifierFields } from "../../model/meaning.ts";
import { fullyVisibleResources } from "../../model/endpoints/fully-visible.ts";
import type { Check } from "../check.ts";

export const pastVisible: Check = (model, reporter) => {
  const hidden = new Map(
    model.resources.flatMap((resource) => (resource.visible ? [[resource.name, resource] as const] : [])),
  );
  if (hidden.size === 0) return;
  const reported = new Set<Expression>();
  for (const { expression, fullyVisible, isReturned } of placesOf(model)) {
    if (reported.has(expression)) continue;
    const found = pastIn(expression.node, { hidden, isReturned }, []).find(
      ({ name }) => !fullyVisible.has(name),
    );
    if (!found) continue;
    reported.add(expression);
    reporter.report("resources/past-visible", expression.position, {
      resource: found.name,
      condition: found.visible?.text ?? "",
    });
  }
};

interface ExpressionPlace {
  readonly expression: Expression;
  /** Resources of which every allowed caller sees all records. */
  readonly fullyVisible: ReadonlySet<string>;
  /** Its value is returned as it is; a condition discloses only whether it holds. */
  readonly isReturned: boolean;
}

function* placesOf(model: Model): Generator<ExpressionPlace> {
  const none = new Set<string>();
  for (const endpoint of model.endpoints) {
    if (endpoint.gap || endpoint.unclear) continue;
    const fullyVisible = fullyVisibleResources(model, endpoint);
    const { allowed, records, fails, lets, does, returns, headers, waits, stream, then } = endpoint;
    const ofPath = records.map((record) => [record.allowed, record.fails]);
    for (const { expression } of expressionsIn([allowed, ofPath, fails, does, then, waits]))
      yield { expression, fullyVisible, isReturned: false };
    const answers = expressionsIn([returns, headers, stream]);
    for (const { expression, path } of answers)
      yield { expression, fullyVisible, isReturned: !path.endsWith("when") };
    for (const { name, value } of lets) {
      const isNamed: IsCandidate = (node) => node.op === "named" && node.name === name;
      yield {
        expression: value,
        fullyVisible,
        isReturned: answers.some((answer) => someNode(answer.expression.node, isNamed)),
      };
    }
  }
  const { shapes, resources, events, errors } = model;
  const computed = resources.flatMap(({ fields }) =>
    fields.map(({ rules }) => rules.filter(({ rule }) => rule === "computed")),
  );
  for (const { expression, path } of expressionsIn([
    shapes,
    computed,
    events.events,
    events.notifications,
    errors,
  ]))
    yield { expression, fullyVisible: none, isReturned: !path.endsWith("when") };
}

interface Around {
  /** The resources with a `Visible`, by name. */
  readonly hidden: ReadonlyMap<string, Resource>;
  readonly isReturned: boolean;
}

type Macro = Extract<Node, { op: "macro" }>;

const picking: ReadonlySet<string> = new Set(["filter", "exists", "exists_one", "count", "first", "last"]);
const chaining: ReadonlySet<string> = new Set(["filter", "sort", "distinct"]);

/**
 * The resources whose collections an expression reads without regard to their `Visible`.
 * @param chain the macros that continue from the node, the nearest first
 */
function pastIn(node: Node, around: Around, chain: readonly Macro[]): readonly Resource[] {
  if (node.op === "collection") {
    const resource = around.hidden.get(node.resource);
    return resource && !isNarrowed(resource, chain, around) ? [resource] : [];
  }
  if (node.op !== "macro") return partsOfNode(node).flatMap((part) => pastIn(part, around, []));
  const nextChain = chaining.has(node.macro) ? [node, ...chain] : [node];
  const inside = node.body ? pastIn(node.body, around, []) : [];
  return [...pastIn(node.of, around, nextChain), ...inside];
}

function isNarrowed(resource: Resource, chain: readonly Macro[], { isReturned }: Around): boolean {
  return chain.some(({ macro, depth, body }) => {
    if (!body || depth === undefined || !picking.has(macro)) return false;
    // `Invoice.filter(i, true)` states that all of them are meant.
    if (macro === "filter" && body.op === "literal" && body.value === true) return true;
    const isCandidate: IsCandidate = (node) => node.op === "local" && node.depth === depth;
    const names = (node: Node) => !isReturned && picksSingle(node, isCandidate, resource);
    return isTied(body, { isCandidate, names, resource });
  });
}

type IsCandidate = (node: Node) => boolean;

interface Candidate {
  readonly isCandidate: IsCandidate;
  /** The expressions that a condition equates with the node. */
  names(node: Node): boolean;
  readonly resource: Resource;
}

/**
 * Every alternative of the condition ties the candidate to a loaded record, or equals its
 * `Visible`.
 */
function isTied(term: Node, of: Candidate): boolean {
  const { isCandidate } = of;
  if (term.op === "or") return isTied(term.left, of) && isTied(term.right, of);
  if (term.op === "and") return isTied(term.left, of) || isTied(term.right, of);
  if (isPartOfVisible(term, of)) return true;
  if (term.op === "macro" && (term.macro === "exists" || term.macro === "exists_one"))
    return someNode(term, isCandidate) && someNode(term, isAtHand);
  if (term.op !== "binary" || (term.operator !== "==" && term.operator !== "in")) return false;
  const ties = (left: Node, right: Node) =>
    someNode(left, isCandidate) &&
    !someNode(right, isCandidate) &&
    (someNode(right, isAtHand) || (someNode(right, isSent) && of.names(left)));
  return ties(term.left, term.right) || ties(term.right, term.left);
}

function isPartOfVisible(term: Node, { isCandidate, resource: { visible } }: Candidate): boolean {
  if (!visible) return false;
  const isThis: IsCandidate = (node) => node.op === "fixed" && node.name === "this";
  const placed = withoutName(term, isCandidate);
  return disjuncts(visible.node)
    .flatMap(conjuncts)
    .some((disjunct) => someNode(disjunct, isThis) && isSameText(withoutName(disjunct, isThis), placed));
}

/** The condition with the same name for the candidate in all macros. */
function withoutName(node: Node, isCandidate: IsCandidate): Node {
  return isCandidate(node)
    ? namedNode("#candidate", node.type)
    : withParts(node, (part) => withoutName(part, isCandidate));
}

/**
 * A loaded record, which its reader may see. The variable of an enclosing macro is judged
 * separately.
 */
function isAtHand(node: Node): boolean {
  if (node.op === "named" || node.op === "local") return true;
  return node.op === "fixed" && ["this", "old", "caller", "credential"].includes(node.name);
}

function isSent(node: Node): boolean {
  return node.op === "fixed" && ["body", "query", "path", "headers"].includes(node.name);
}

/** Whether the condition selects a single record, by its identifier or by `unique` fields. */
function picksSingle(node: Node, isCandidate: IsCandidate, resource: Resource): boolean {
  if (isCandidate(node)) return true;
  if (node.op !== "field" || !isCandidate(node.of)) return false;
  return resource.fields.some(
    ({ name, type, rules }) =>
      name === node.name &&
      (type.kind === "reference" ||
        identifierFields(resource).includes(name) ||
        hasRule(rules, "unique") ||
        resource.unique.some(({ fields }) => fields.includes(name))),
  );
}
