/** Field reader of a plain type: a form must give exactly one text. */
import type { Json } from "../../support/json.ts";
import { Refusal, type ReadForm, type ScalarType } from "./scalar-type.ts";
import type { FieldReader } from "../field-reader.ts";
import type { Findings } from "../findings.ts";
import { elementsOf, type FormNode, onlyJson, onlyText } from "../form.ts";

export function compileScalar(type: ScalarType, form: ReadForm): FieldReader {
  const readNode = type.kind === "json" ? readTree : (node: FormNode) => readSingleText(type, node, form);
  return {
    json(json, path, findings) {
      const value = type.read(json, form);
      return value instanceof Refusal ? findings.refuse("invalid field", path, value.words, json) : value;
    },
    form(node, path, findings) {
      const value = readNode(node);
      return value instanceof Refusal
        ? findings.refuse("invalid field", path, value.words, onlyText(node))
        : value;
    },
  };

  function readTree(node: FormNode) {
    const tree = treeOf(node);
    return tree === undefined ? file : type.read(tree, form);
  }
}

const several = new Refusal("must be sent only once");
const file = new Refusal("must be text, not a file");
const nested = new Refusal("must not have parts");

function readSingleText(type: ScalarType, node: FormNode, form: ReadForm) {
  const text = onlyText(node);
  if (text !== undefined) return type.readText(text, form);
  if (node.files) return file;
  return node.items || node.parts ? nested : several;
}

/** Any value of a form: texts, JSON, and lists and objects of them. Undefined if it contains a file. */
function treeOf(node: FormNode): Json | undefined {
  const text = onlyText(node);
  if (text !== undefined) return text;
  const json = onlyJson(node);
  if (json !== undefined) return json;
  if (node.files) return undefined;
  const elements = elementsOf(node);
  if (elements) return allOf(elements.map(treeOf));
  const tree: Record<string, Json> = Object.create(null);
  for (const [key, part] of node.parts ?? []) {
    const inner = treeOf(part);
    if (inner === undefined) return undefined;
    tree[key] = inner;
  }
  return tree;
}

function allOf(trees: readonly (Json | undefined)[]): Json | undefined {
  const known = trees.filter((tree) => tree !== undefined);
  return known.length === trees.length ? known : undefined;
}

/** The only text of a node, for readers of types that aren't scalar. */
export function textOrRefuse(node: FormNode, path: string, findings: Findings): string | undefined {
  const text = onlyText(node);
  if (text !== undefined) return text;
  return findings.refuse("invalid field", path, (node.items || node.parts ? nested : several).words);
}
