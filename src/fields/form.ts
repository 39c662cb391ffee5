/**
 * Pairs of a form or a query as a tree of texts, before the types of inputs interpret them.
 * `engine/http` reads them.
 */
import type { Json } from "../support/json.ts";
import { readJson } from "../support/formats/json-reader.ts";

export interface FormNode {
  /** The texts of `a=1`, in order; several if the name is repeated. */
  readonly texts: readonly string[];
  /** Files of a multipart body, in order. */
  readonly files?: readonly FormFile[];
  /** Parts of a multipart body with a JSON media type, in order. */
  readonly json?: readonly Json[];
  /** `a[]=1`: elements of a list, in order. */
  readonly items?: readonly FormNode[];
  /** `a[b]=1`, `a[0]=1`: by the content of the brackets. */
  readonly parts?: ReadonlyMap<string, FormNode>;
}

export interface FormFile {
  /** The file name without folders. Empty if there is none. */
  readonly name: string;
  /** The media type that the sender states, in lower case and without parameters. */
  readonly type?: string;
  readonly bytes: Uint8Array;
}

/** The file of a node that has one file and nothing else. */
export function onlyFile(node: FormNode): FormFile | undefined {
  const isAlone = node.texts.length === 0 && !node.items && !node.parts && !node.json;
  return isAlone && node.files?.length === 1 ? node.files[0] : undefined;
}

/** The text of a node that has one text and nothing else. */
export function onlyText(node: FormNode): string | undefined {
  const isAlone = !node.items && !node.parts && !node.files && !node.json;
  return node.texts.length === 1 && isAlone ? node.texts[0] : undefined;
}

/**
 * The JSON of a node that has one JSON part and nothing else. The part may be a file (`new Blob([…], {type:
 * "application/json"})`).
 */
export function onlyJson(node: FormNode): Json | undefined {
  const file = onlyFile(node);
  if (file) {
    const read = isJson.test(file.type ?? "") ? readJson(file.bytes) : undefined;
    return read?.problem === undefined ? read?.json : undefined;
  }
  const isAlone = node.texts.length === 0 && !node.items && !node.parts && !node.files;
  return isAlone && node.json?.length === 1 ? node.json[0] : undefined;
}

const isJson = /^application\/json$|\+json$/;

const indexForm = /^(?:0|[1-9]\d{0,5})$/;

/**
 * The elements of a node that is read as a list: repeated texts, `a[]`, and `a[0]`, `a[1]` in the order of their
 * numbers. Undefined if the node has other parts.
 */
export function elementsOf(node: FormNode): readonly FormNode[] | undefined {
  const texts = node.texts.map((text) => ({ texts: [text] }));
  const files = node.files?.map((file): FormNode => ({ texts: [], files: [file] })) ?? [];
  const json = node.json?.map((field): FormNode => ({ texts: [], json: [field] })) ?? [];
  const elements: FormNode[] = [...texts, ...files, ...json, ...(node.items ?? [])];
  if (!node.parts) return elements;
  const indexed = [...node.parts];
  if (!indexed.every(([key]) => indexForm.test(key))) return undefined;
  for (const [, part] of indexed.sort(([a], [b]) => Number(a) - Number(b))) elements.push(part);
  return elements;
}
