/**
 * Part 4, Paths: records below a parent (`/shelves/{code}/books`) that only a condition ties to it.
 * If the parent doesn't exist, no record matches, and the response is an empty list instead of *not
 * found*.
 */
import { expressionsIn } from "../../expressions/expressions-in.ts";
import type { Node } from "../../expressions/node.ts";
import { nodesWithin } from "../../expressions/nodes-within.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { hasRule } from "../../fields/rule.ts";
import { reachOf } from "../../model/does.ts";
import { createMeaning } from "../../model/meaning.ts";
import type { Endpoint, Model, PathTemplate } from "../../model/model.ts";
import type { Check } from "../check.ts";

/** A resource, and the field of it that a parameter is compared with; without one, the reference itself is. */
interface Parent {
  readonly resource: string;
  readonly field?: string;
}

export const parentNotLookedUp: Check = (model, reporter) => {
  const meaning = createMeaning(model);
  for (const endpoint of model.endpoints) {
    if (!answersWithoutParent(endpoint)) continue;
    for (const parameter of parametersAbove(endpoint.path)) {
      const parent = parentOf(parameter, endpoint, meaning);
      if (!parent) continue;
      const path = pathTo(endpoint.path, parameter);
      reporter.report("endpoints/parent-not-looked-up", endpoint.position, {
        endpoint: `${endpoint.method} ${endpoint.path.text}`,
        resource: parent.resource,
        path,
        hasHeading: model.paths.some((pathHeading) => pathHeading.path.text === path),
        where: pickedOtherwise(parent, parameter, model)
          ? `this.${parent.field} == path.${parameter}`
          : undefined,
      });
    }
  }
};

/** It works on many records, or answers what it finds; and nothing of it may be there to refuse a parent that does not exist. */
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

/** What the parameter narrows by, where that is all that is done with it: read anywhere else, it may be looked up there. */
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

/** `this.shelf.code == path.code`, `this.shelf == path.code`, and the same of the variable of a macro. */
function comparedParent(node: Node, parameter: string, meaning: Meaning): Parent | undefined {
  if (node.op !== "binary" || node.operator !== "==") return undefined;
  for (const [own, other] of [
    [node.left, node.right],
    [node.right, node.left],
  ] as const)
    if (isParameter(valueIn(other), parameter)) return referredBy(own, meaning);
  return undefined;
}

/** `int(path.id)`, and conversions that mean a record with that identifier. */
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

/** A heading alone picks by a `unique` field of the parameter's name, else by the identifier. */
function pickedOtherwise({ resource, field }: Parent, parameter: string, model: Model): boolean {
  const of = model.resources.find(({ name }) => name === resource);
  if (!of) return false;
  const identifier = of.fields.filter(({ role }) => role === "identifier").map(({ name }) => name);
  const named = of.fields.find(({ name, rules }) => name === parameter && hasRule(rules, "unique"))?.name;
  const picked = named ?? (identifier.length === 1 ? identifier[0] : undefined);
  return picked !== (field ?? (identifier.length === 1 ? identifier[0] : undefined));
}
