/**
 * Reach of an expression: the part of the store that it reads, split by the due work that must run
 * before it is evaluated (part 3, "Trigger"). An expression reads whole resources by their
 * collections, and single records by references from those at hand. Computed fields and shapes are
 * included. `endpoint-scope.ts` and `due.ts` decide what runs, and when.
 */
import type { Node } from "../../expressions/node.ts";
import { inlined, partsOfNode, withParts } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";

/**
 * A record that an expression reaches: the subexpression that denotes it, to be evaluated in the
 * same context.
 */
export interface ReachedRecord {
  readonly resource: string;
  readonly node: Node;
}

/** Collects the reach of several expressions. */
export interface Reach {
  /** Resources of which any record may be read. */
  readonly whole: Set<string>;
  /** Records that references lead to, nearer ones first. */
  readonly records: Map<string, ReachedRecord>;
}

/** The context in which an expression is evaluated. */
export interface EvaluationPoint {
  /** `this` is one known record; otherwise it is each record of its resource in turn. */
  readonly isThisAtHand: boolean;
  /** `this` is a new record: it has no due work, but it may refer to any record. */
  readonly isThisNew?: boolean;
  /** Names of known records: those of the path. Any other name may be any record. */
  readonly names: ReadonlySet<string>;
  /**
   * Returns the expression to use for a node: the value of a `Let`, or the input for a field of a
   * new record.
   */
  readonly instead?: (node: Node) => Node | undefined;
}

/**
 * Maximum depth and number of computed fields and shapes that are followed from record to record.
 * Beyond these, they count as any record.
 */
const depthMax = 8;
const bodiesMax = 500;

export function createReach(): Reach {
  return { whole: new Set(), records: new Map() };
}

/** Adds the reach of an expression to `reach`. */
export function addReach(reach: Reach, expression: Node, meaning: Meaning, at: EvaluationPoint): void {
  let bodies = 0;
  visit(put(expression), 0, new Set());

  function put(node: Node): Node {
    const replacement = at.instead?.(node);
    return replacement ? put(replacement) : withParts(node, put);
  }

  /** @param seen bodies that were visited for any record, and need no second visit */
  function visit(node: Node, depth: number, seen: ReadonlySet<string>): void {
    for (const part of partsOfNode(node)) visit(part, depth, seen);
    switch (node.op) {
      case "collection":
        reach.whole.add(node.resource);
        return;
      case "field":
      case "has": {
        const { type } = node.of;
        if (type.kind !== "record" && type.kind !== "value") return;
        meet(node.of);
        enter(`${type.resource}.${node.name}`, meaning.computed(type.resource, node.name), node.of);
        return;
      }
      case "representation": {
        meet(node.of);
        for (const name of meaning.vocabulary.resource(node.resource)?.fields.keys() ?? [])
          enter(`${node.resource}.${name}`, meaning.computed(node.resource, name), node.of);
        return;
      }
      case "shape":
        if (node.of) meet(node.of);
        enter(`shape ${node.shape}`, meaning.shapeBody(node.shape), node.of);
        return;
      case "call":
        // `token(record)` and the author's own functions see the record itself.
        for (const argument of node.args) meet(argument);
    }

    function enter(name: string, body: Node | undefined, of: Node | undefined): void {
      if (!body || seen.has(name)) return;
      bodies += 1;
      if (depth < depthMax && bodies < bodiesMax) {
        visit(put(of ? inlined(body, of, 0) : body), depth + 1, seen);
        return;
      }
      const any: Node | undefined = of && { op: "local", name: "any", depth: 0, type: of.type };
      visit(any ? inlined(body, any, 0) : body, depth + 1, new Set([...seen, name]));
    }
  }

  function meet(node: Node): void {
    if (node.type.kind !== "record") return;
    if (
      node.op === "fixed"
        ? isAtHand(node, at) || at.isThisNew
        : node.op === "named" && at.names.has(node.name)
    )
      return;
    if (isClosed(node, at)) reach.records.set(JSON.stringify(node), { resource: node.type.resource, node });
    else reach.whole.add(node.type.resource);
  }
}

function isAtHand(node: Node, at: EvaluationPoint): boolean {
  return node.op !== "fixed" || (node.name !== "this" && node.name !== "old") || at.isThisAtHand;
}

/**
 * Whether a node can be evaluated at the start of the request: it reads nothing that the request
 * finds or creates later.
 */
function isClosed(node: Node, at: EvaluationPoint): boolean {
  if (node.op === "local" || node.op === "macro" || node.op === "collection") return false;
  if (node.op === "named") return at.names.has(node.name);
  return isAtHand(node, at) && partsOfNode(node).every((part) => isClosed(part, at));
}
