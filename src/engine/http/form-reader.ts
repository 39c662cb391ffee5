/**
 * Reads `application/x-www-form-urlencoded` texts, which bodies and query strings are, into a tree of texts:
 * `a[b]=1` is the part `b` of `a`, `a[]=1` and `a[0]=1` are elements, a repeated `a=1` several texts. What they mean is
 * said by the types of inputs, in `fields/`.
 *
 * Stricter than WHATWG's parser, which turns everything into something: escapes must be hexadecimal and spell UTF-8.
 */
import { parameterKeys } from "../../fields/parameter-keys.ts";
import type { FormFile, FormNode } from "../../fields/form.ts";
import type { Json } from "../../support/json.ts";
import { decodeUtf8 } from "../../support/json-reader.ts";

export interface FormLimits {
  readonly pairsMax: number;
  /** How many brackets may follow a name. */
  readonly depthMax: number;
}

/** Engine defaults: what Stripe's and Rails' forms need, with room. */
export const formLimits: FormLimits = { pairsMax: 1000, depthMax: 5 };

/** `problem` is a clause: `the escape %zz is not hexadecimal`. */
export type FormRead =
  | { readonly form: FormNode; readonly problem?: undefined }
  | { readonly problem: string };

export interface GrowingNode {
  texts: string[];
  files?: FormFile[];
  json?: Json[];
  items?: GrowingNode[];
  parts?: Map<string, GrowingNode>;
}

const emptyForm: FormNode = { texts: [] };

export function readFormBytes(bytes: Uint8Array, limits: FormLimits = formLimits): FormRead {
  const text = decodeUtf8(bytes);
  return text === undefined ? { problem: "the form is not UTF-8" } : readForm(text, limits);
}

/** Reads a body, or what stands behind the `?` of a target. */
export function readForm(text: string, limits: FormLimits = formLimits): FormRead {
  if (text === "") return { form: emptyForm };
  const root: GrowingNode = { texts: [] };
  const pairs = text.split("&", limits.pairsMax + 1);
  if (pairs.length > limits.pairsMax) return { problem: `there are more than ${limits.pairsMax} pairs` };
  for (const pair of pairs) {
    if (pair === "") continue;
    // Of several the first divides; a name alone has the empty value.
    const equals = pair.indexOf("=");
    const name = decodeFormText(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? "" : decodeFormText(pair.slice(equals + 1));
    if (name === "")
      return { problem: `${JSON.stringify(pair.slice(0, 64))} has no name in front of its \`=\`` };
    if (name === undefined || value === undefined)
      return { problem: `the escapes of ${JSON.stringify(pair.slice(0, 64))} are not UTF-8 text` };
    const keys = parameterKeys(name);
    if (keys.length - 1 > limits.depthMax)
      return {
        problem: `the name ${JSON.stringify(name.slice(0, 64))} has more than ${limits.depthMax} brackets`,
      };
    nodeAt(root, keys).texts.push(value);
  }
  return { form: root };
}

/** A plus is a blank, and an escape a byte of UTF-8; undefined where it isn't, or where U+0000 is spelt. */
function decodeFormText(text: string): string | undefined {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return decodePercents(spaced);
}

/** Undefined where an escape is not hexadecimal, is not UTF-8 or spells U+0000. */
export function decodePercents(text: string): string | undefined {
  if (!text.includes("%")) return text.includes("\0") ? undefined : text;
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** The node at the keys of a name, made where there is none yet. */
export function nodeAt(root: GrowingNode, keys: readonly string[]): GrowingNode {
  let node = root;
  keys.forEach((key, index) => {
    node = key === "" && index > 0 ? itemOf(node, keys[index + 1]) : partOf(node, key);
  });
  return node;
}

function partOf(node: GrowingNode, key: string): GrowingNode {
  node.parts ??= new Map();
  let part = node.parts.get(key);
  if (!part) {
    part = { texts: [] };
    node.parts.set(key, part);
  }
  return part;
}

/** `a[][x]=1&a[][y]=2&a[][x]=3` are two elements: one is full when the key that comes is already there. */
function itemOf(node: GrowingNode, nextKey: string | undefined): GrowingNode {
  node.items ??= [];
  const last = node.items.at(-1);
  if (last?.parts && nextKey !== undefined && nextKey !== "" && !last.parts.has(nextKey)) return last;
  const item: GrowingNode = { texts: [] };
  node.items.push(item);
  return item;
}
