/** The keys to a value in a response: to `page.next`, to `error.code`. */
import type { Node } from "../../expressions/node.ts";
import { shapeOutput } from "../../model/versions/output-nodes.ts";
import type { WireContext } from "./context.ts";

/** Functions that return their first argument, perhaps as a text or with a replacement. */
const givenOn = new Set(["or", "string"]);

/**
 * @param node in the names of the version
 * @param of the object of the member: `page`
 * @returns undefined if no keys lead there
 */
export function keysTo(
  context: WireContext,
  node: Node,
  of: string,
  name: string,
): readonly string[] | undefined {
  const { model, view } = context;
  const within = (inner: Node) => keysTo(context, inner, of, name);
  switch (node.op) {
    case "field":
      return node.of.op === "fixed" && node.of.name === of && node.name === name ? [] : undefined;
    case "map":
      return firstBehind(
        node.entries.map(({ key, value }) => [key, value] as const),
        within,
      );
    case "list":
      return firstBehind(
        node.items.map((item, at) => [String(at), item] as const),
        within,
      );
    case "macro":
      return node.macro === "map" ? within(node.of) : undefined;
    case "call":
      if (givenOn.has(node.function)) return node.args[0] && within(node.args[0]);
      for (const arg of node.function === "merge" ? node.args : []) {
        const found = within(arg);
        if (found) return found;
      }
      return undefined;
    case "shape": {
      const shape = model.shapes.find((candidate) => candidate.name === node.shape);
      return shape && !node.of ? within(shapeOutput(model, shape, view)) : undefined;
    }
    case "if":
      return within(node.then) ?? within(node.else);
    default:
      return undefined;
  }
}

function firstBehind(
  members: readonly (readonly [string, Node])[],
  within: (node: Node) => readonly string[] | undefined,
): readonly string[] | undefined {
  for (const [key, value] of members) {
    const rest = within(value);
    if (rest) return [key, ...rest];
  }
  return undefined;
}
