/**
 * Form parsing: reads `application/x-www-form-urlencoded` text, in bodies and query strings, into a
 * tree of texts. `a[b]=1` is the part `b` of `a`, `a[]=1` and `a[0]=1` are elements, a repeated
 * `a=1` gives several texts. The types of inputs interpret them (`fields/`).
 *
 * It is stricter than WHATWG's parser, which accepts everything: escapes must be hexadecimal and
 * valid UTF-8.
 */
import { parameterKeys } from "../../fields/parameter-keys.ts";
import type { FormFile, FormNode } from "../../fields/form.ts";
import type { Json } from "../../support/json.ts";
import { decodeUtf8 } from "../../support/formats/json-reader.ts";

export interface FormLimits {
  readonly pairsMax: number;
  /** Largest number of brackets after a name. */
  readonly depthMax: number;
}

/** Engine defaults: enough for the forms of Stripe and Rails. */
export const formLimits: FormLimits = { pairsMax: 1000, depthMax: 5 };

/** `problem` is a clause, such as `the escape %zz is not hexadecimal`. */
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

/** Parses a form body or a query string. */
export function readForm(text: string, limits: FormLimits = formLimits): FormRead {
  if (text === "") return { form: emptyForm };
  const root: GrowingNode = { texts: [] };
  const pairs = text.split("&", limits.pairsMax + 1);
  if (pairs.length > limits.pairsMax) return { problem: `there are more than ${limits.pairsMax} pairs` };
  for (const pair of pairs) {
    if (pair === "") continue;
    // The first `=` separates name and value; a name alone has the empty value.
    const equals = pair.indexOf("=");
    const name = decodeFormText(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? "" : decodeFormText(pair.slice(equals + 1));
    if (name === "") return { problem: `${JSON.stringify(pair.slice(0, 64))} has no name before its \`=\`` };
    if (name === undefined || value === undefined)
      return { problem: `the escapes of ${JSON.stringify(pair.slice(0, 64))} are not UTF-8 text` };
    const keys = parameterKeys(name);
    if (keys.length - 1 > limits.depthMax)
      return {
        problem: `the name ${JSON.stringify(name.slice(0, 64))} has more than ${limits.depthMax} brackets`,
      };
    ensureNode(root, keys).texts.push(value);
  }
  return { form: root };
}

/**
 * Decodes a plus as a space and escapes as UTF-8 bytes; undefined if they are invalid or contain
 * U+0000.
 */
function decodeFormText(text: string): string | undefined {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return decodePercents(spaced);
}

/**
 * Decodes percent escapes. Returns undefined if an escape is not hexadecimal, not UTF-8, or U+0000.
 */
export function decodePercents(text: string): string | undefined {
  if (!text.includes("%")) return text.includes("\0") ? undefined : text;
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Returns the node at the keys of a name, and creates it if needed. */
export function ensureNode(root: GrowingNode, keys: readonly string[]): GrowingNode {
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

/** `a[][x]=1&a[][y]=2&a[][x]=3` gives two elements: a repeated key starts the next one. */
function itemOf(node: GrowingNode, nextKey: string | undefined): GrowingNode {
  node.items ??= [];
  const last = node.items.at(-1);
  if (last?.parts && nextKey !== undefined && nextKey !== "" && !last.parts.has(nextKey)) return last;
  const item: GrowingNode = { texts: [] };
  node.items.push(item);
  return item;
}
