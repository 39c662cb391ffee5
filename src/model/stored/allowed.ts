/** Restrictions on expressions of a stored change, beyond names and types. */
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import type { unanswerable } from "../../expressions/evaluate.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { Scope } from "../../expressions/scope.ts";
import { namesOfRequests, type StoredTimes } from "./vocabulary.ts";

export interface StoredScope {
  readonly times: StoredTimes;
  readonly scope: Scope;
  /** Finds functions that are unavailable in a stored change. */
  readonly findUnanswerable: typeof unanswerable;
}

export function expressionsAllowed(
  { node, position }: Expression,
  { times, scope, findUnanswerable }: StoredScope,
  reporter: Reporter,
): boolean {
  const isOfModule = (name: string): boolean => times.functions?.handlerFunction(name) !== undefined;
  const name = firstOf(node, (node) => {
    if (node.op === "fixed" && (namesOfRequests as readonly string[]).includes(node.name)) return node.name;
    return node.op === "call" && isOfModule(node.function) ? node.function : undefined;
  });
  if (name !== undefined) {
    reporter.report("versioning/stored-no-request", position, { name });
    return false;
  }
  const reach = firstOf(node, (node) =>
    node.op === "field" || node.op === "has" ? reached(node.of) : undefined,
  );
  if (reach !== undefined) {
    reporter.report("versioning/stored-reach", position, { name: reach });
    return false;
  }
  const meaning = { vocabulary: scope.vocabulary, computed: () => undefined, shapeBody: () => undefined };
  const problem = findUnanswerable(node, meaning);
  if (problem === undefined) return true;
  reporter.report("expressions/unanswerable", position, { function: problem, picks: false });
  return false;
}

/** The name of a record that the step creates, or of a reference in its result. Neither can be followed. Undefined for others. */
function reached(of: Node): string | undefined {
  if (of.op === "named") return of.name;
  const isOfThis = of.op === "field" && of.of.op === "fixed" && of.of.name === "this";
  return isOfThis && of.type.kind === "record" && of.of.type.kind === "object"
    ? `this.${of.name}`
    : undefined;
}

function firstOf(node: Node, test: (node: Node) => string | undefined): string | undefined {
  const own = test(node);
  if (own !== undefined) return own;
  for (const part of partsOfNode(node)) {
    const found = firstOf(part, test);
    if (found !== undefined) return found;
  }
  return undefined;
}
