/**
 * Lists of constructed elements with conditions before output: `Parcel.map(p, Label(p)).filter(l,
 * l.weight > 5)`. Conditions use the current names and the output those of the version, so each
 * element has both forms.
 */
import type { MapEntry, Node } from "../../expressions/node.ts";
import { type Type, types } from "../../expressions/type.ts";
import { eachOf, mapNode } from "./versioned-entries.ts";

/** The types of variables that have both a stored and an output form, by their depth. */
export type DualFormTypes = ReadonlyMap<number, Type>;

type Macro = Extract<Node, { op: "macro" }>;

interface Ways {
  /** Rewrites a part that reads the element, which has both forms where its type is given. */
  stored(part: Node, macro?: Macro, element?: Type): Node;
  output(part: Node, macro?: Macro, element?: Type): Node;
}

export interface List {
  readonly node: Node;
  /** The type of the elements, if they have both forms. */
  readonly ofBoth?: Type | undefined;
}

/** A list with a condition or an order. */
export function listOf(node: Node, ways: Ways): List {
  if (node.op === "list") return literalOf(node, ways);
  if (node.op !== "macro" || !chained.has(node.macro)) return { node: ways.stored(node) };
  const { node: of, ofBoth } = listOf(node.of, ways);
  const storedBody = node.body && ways.stored(node.body, node, ofBoth);
  if (!storedBody || node.macro !== "map") {
    const type = ofBoth ? of.type : node.type;
    return { node: { ...node, of, type, ...(storedBody ? { body: storedBody } : {}) }, ofBoth };
  }
  const output = ways.output(node.body, node, ofBoth);
  const isSame = areSame(storedBody, output);
  const body = isSame ? storedBody : both(storedBody, output);
  const list: Node = { ...node, of, body, type: { kind: "list", of: body.type } };
  return { node: list, ofBoth: isSame ? undefined : body.type };
}

const chained: ReadonlySet<string> = new Set(["map", "filter", "sort", "distinct"]);

function literalOf(node: Extract<Node, { op: "list" }>, ways: Ways): List {
  const made = node.items.map((item) => [ways.stored(item), ways.output(item)] as const);
  if (made.every(([stored, output]) => areSame(stored, output))) return { node: ways.stored(node) };
  const items = made.map(([stored, output]) => both(stored, output));
  const ofBoth = items[0]?.type ?? types.any;
  return { node: { ...node, items, type: { kind: "list", of: ofBoth } }, ofBoth };
}

function areSame(stored: Node, output: Node): boolean {
  return JSON.stringify(stored) === JSON.stringify(output);
}

function both(stored: Node, output: Node): Node {
  const entry = (key: string, value: Node): MapEntry => ({ key, optional: false, value });
  return mapNode([entry("stored", stored), entry("shown", output)]);
}

/** The list in output form. Undefined if its elements only have a stored form. */
export function outputList({ node, ofBoth }: List): Node | undefined {
  return ofBoth && eachOf(node, ofBoth, (element) => outputOf(element, ofBoth));
}

/** The stored form of a variable that has both forms. */
export function storedOf(variable: Node, ofBoth: Type): Node {
  return partOf(variable, "stored", ofBoth);
}

/** The output form of a variable that has both. */
export function outputOf(variable: Node, ofBoth: Type): Node {
  return partOf(variable, "shown", ofBoth);
}

function partOf(variable: Node, name: "stored" | "shown", ofBoth: Type): Node {
  const type = ofBoth.kind === "object" ? ofBoth.fields[name] : undefined;
  return { op: "field", of: { ...variable, type: ofBoth }, name, type: type ?? types.any, built: true };
}
