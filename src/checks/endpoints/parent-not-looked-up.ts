/**
 * Part 4, Paths: records below a parent (`/shelves/{code}/books`) that only a condition ties to it.
 * If the parent doesn't exist, no record matches, and the response is an empty list instead of *not
 * found*.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Node } from "../../expressions/node.ts";
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { hasRule } from "../../fields/rule.ts";
import { reachOf } from "../../model/endpoints/does.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Endpoint, Model, PathTemplate } from "../../model/model.ts";
import type { Check } from "../check.ts";

/** A resource, and its field that a parameter is compared with. Without a field, the reference itself is compared. */
interface Parent {
  readonly resource: string;
  readonly field?: string;
}

export const parentNotLookedUp: Check = (model, reporter) => {
  const meaning = meaningOf(model);
  for (const endpoint of model.endpoints) {
    if (!answersWithoutParent(endpoint)) continue;
    for (const parameter of parametersAbove(endpoint.path)) {
      const parent = parentOf(parameter, endpoint, meaning);
      if (!parent) continue;
      const path = pathTo(endpoint.path, parameter);
      const field = fieldToSelectBy(parent, parameter, model);
      reporter.report("endpoints/parent-not-looked-up", endpoint.position, {
        endpoint: `${endpoint.method} ${endpoint.path.text}`,
        resource: parent.resource,
        path,
        hasHeading: model.paths.some((pathHeading) => pathHeading.path.text === path),
        where: field === undefined ? undefined : `this.${field} == path.${parameter}`,
      });
    }
  }
};

/**
 * Whether a missing parent goes unnoticed: the endpoint works on many records, or responds with those that it finds,
 * and no other item rejects the request.
 */
function answersWithoutParent({ does, gap, unclear, returns }: Endpoint): boolean {
  if (gap || unclear || returns.some(({ kind }) => kind === "error")) return false;
  return does.some((deed) => {
    const reach = reachOf(deed);
    return reach === "many" || deed.kind === "answer" || deed.kind === "stream";
  });
}

/** Parameters of segments that aren't the last one. */
function parametersAbove({ segments }: PathTemplate): readonly string[] {
  return segments.slice(0, -1).flatMap((segment) => (segment.kind === "parameter" ? [segment.name] : []));
}

function pathTo({ text }: PathTemplate, parameter: string): string {
  const segments = text.split("/");
  const at = segments.findIndex((segment) => segment.includes(`{${parameter}}`));
  return segments.slice(0, at + 1).join("/");
}

/** The parameters that are only used to narrow the list. A parameter that is read elsewhere may be looked up there. */
function parentOf(parameter: string, endpoint: Endpoint, meaning: Meaning): Parent | undefined {
  const { fails, allowed, records } = endpoint;
  if (records.some(({ by }) => by?.parameter === parameter)) return undefined;
  const reads = (piece: unknown): number =>
    expressionsIn(piece)
      .flatMap(({ expression }) => [...nodesWithin(expression.node)])
      .filter((node) => isParameter(node, parameter)).length;
  if (reads([fails, allowed, records]) > 0) return undefined;
  const parents = expressionsIn(endpoint)
    .flatMap(({ expression }) => [...nodesWithin(expression.node)])
    .flatMap((node) => comparedParent(node, parameter, meaning) ?? []);
  return parents.length === reads(endpoint) ? parents[0] : undefined;
}

/** `this.shelf.code == path.code`, `this.shelf == path.code`, and the same for the variable of a macro. */
function comparedParent(node: Node, parameter: string, meaning: Meaning): Parent | undefined {
  if (node.op !== "binary" || node.operator !== "==") return undefined;
  for (const [own, otherSide] of [
    [node.left, node.right],
    [node.right, node.left],
  ] as const)
    if (isParameter(valueIn(otherSide), parameter)) return referredBy(own, meaning);
  return undefined;
}

/** `int(path.id)`, and other conversions whose result identifies a record. */
function valueIn(node: Node): Node {
  const parts = node.op === "key" ? node.parts : node.op === "call" ? node.args : [];
  return parts.length === 1 && parts[0] ? valueIn(parts[0]) : node;
}

function isParameter(node: Node, parameter: string): boolean {
  return node.op === "field" && node.name === parameter && node.of.op === "fixed" && node.of.name === "path";
}

/** The resource that a chain of fields leads to from a candidate, by at least one reference. */
function referredBy(node: Node, meaning: Meaning): Parent | undefined {
  if (node.op !== "field") return undefined;
  const { of, name, type } = node;
  const body = of.type.kind === "record" ? meaning.computed(of.type.resource, name) : undefined;
  if (body && isCandidate(of)) return referredBy(body, meaning);
  if (!isChain(of)) return undefined;
  if (type.kind === "record") return { resource: type.resource };
  return of.op === "field" && of.type.kind === "record"
    ? { resource: of.type.resource, field: name }
    : undefined;
}

function isChain(node: Node): boolean {
  return isCandidate(node) || (node.op === "field" && isChain(node.of));
}

function isCandidate(node: Node): boolean {
  return node.op === "local" || (node.op === "fixed" && node.name === "this");
}

/**
 * The field by which the parameter selects, if that needs a condition. Without one, a parameter
 * selects by the `unique` field of its name, otherwise by the identifier.
 */
function fieldToSelectBy({ resource, field }: Parent, parameter: string, model: Model): string | undefined {
  const fields = model.resources.find(({ name }) => name === resource)?.fields ?? [];
  const identifier = fields.filter(({ role }) => role === "identifier").map(({ name }) => name);
  const single = identifier.length === 1 ? identifier[0] : undefined;
  const named = fields.find(({ name, rules }) => name === parameter && hasRule(rules, "unique"))?.name;
  const compared = field ?? single;
  return (named ?? single) === compared ? undefined : compared;
}
