/**
 * Page items in a response: inserted unchanged as shaped by the store, or read by the response's
 * expression.
 */
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { types } from "../../expressions/type.ts";
import { mapChildren, thisOf, walk } from "../evaluation/nodes.ts";

/**
 * Whether the shape of a page reads inside its items (`page.items.last().id`), which the store has
 * serialized as JSON. Inserting or counting the items is not reading.
 */
export function readsInsideItems(node: Node, meaning: Meaning): boolean {
  if (isPageItems(node)) return false;
  if (node.op === "shape" && node.of === undefined) {
    const body = meaning.shapeBody(node.shape);
    return body !== undefined && readsInsideItems(body, meaning);
  }
  const isPut =
    node.op === "map" ||
    node.op === "list" ||
    node.op === "if" ||
    (node.op === "call" && (node.function === "merge" || node.function === "size")) ||
    (node.op === "macro" && node.macro === "count" && !node.body);
  return partsOfNode(node).some((part) => (isPageItems(part) ? !isPut : readsInsideItems(part, meaning)));
}

/**
 * Splits a response such as `{"articles": page.items.map(a, Summary(a)), "count": page.total}` into
 * the shape of an item and the rest with `page.items`. So the store shapes the items in one
 * statement. The result is undefined for any other use of the items.
 */
export function splitPageShape(
  node: Node,
  resource: string,
): { readonly item: Node; readonly page: Node } | undefined {
  let item: Node | undefined;
  let uses = 0;
  let maps = 0;
  walk(node, (inner) => {
    if (isPageItems(inner)) uses += 1;
    if (inner.op === "macro" && inner.macro === "map" && isPageItems(inner.of) && inner.body) {
      maps += 1;
      item ??= withoutLocal(inner.body, inner.depth ?? 0, resource);
    }
  });
  if (!item || uses !== 1 || maps !== 1 || !isWrittenAsItIs(node)) return undefined;
  const page = replaceMap(node);
  return { item, page };
}

/**
 * Whether the items are inserted as shaped. `.join(",")` and similar functions need their values.
 */
function isWrittenAsItIs(node: Node): boolean {
  if (node.op === "macro") return node.macro === "map" && isPageItems(node.of);
  if (node.op === "map") return node.entries.some(({ value }) => isWrittenAsItIs(value));
  if (node.op === "list") return node.items.some(isWrittenAsItIs);
  if (node.op === "if") return isWrittenAsItIs(node.then) || isWrittenAsItIs(node.else);
  return node.op === "call" && node.function === "merge" && node.args.some(isWrittenAsItIs);
}

function isPageItems(node: Node): boolean {
  return node.op === "field" && node.name === "items" && node.of.op === "fixed" && node.of.name === "page";
}

function replaceMap(node: Node): Node {
  if (node.op === "macro" && node.macro === "map" && isPageItems(node.of)) {
    return { ...(node.of as Node), type: { kind: "list", of: types.any } } as Node;
  }
  return mapChildren(node, replaceMap);
}

/** Replaces the macro's variable by the record to shape. */
function withoutLocal(node: Node, depth: number, resource: string): Node {
  if (node.op === "local" && node.depth === depth) return thisOf(resource);
  return mapChildren(node, (child) => withoutLocal(child, depth, resource));
}
