/**
 * Pairs of a form or a query as a tree of texts, before the types of inputs interpret them.
 * `engine/http` reads them.
 */
import type { Json } from "../support/json.ts";
import { readJson } from "../support/json-reader.ts";

export interface FormNode {
  /** `a=1`, and `a=2` where the name is repeated, in order. */
  readonly texts: readonly string[];
  /** Of a multipart body, in order. */
  readonly files?: readonly FormFile[];
  /** Parts of a multipart body that say of themselves that they are JSON, in order. */
  readonly json?: readonly Json[];
  /** `a[]=1`: elements of a list, in order. */
  readonly items?: readonly FormNode[];
  /** `a[b]=1`, `a[0]=1`: by the content of the brackets. */
  readonly parts?: ReadonlyMap<string, FormNode>;
}

export interface FormFile {
  /** Without folders; the empty text where it has none. */
  readonly name: string;
  /** The media type that the sender states, in lower case and without parameters. */
  readonly type?: string;
  readonly bytes: Uint8Array;
}

/** The one file of a node that is nothing else. */
export function onlyFile(node: FormNode): FormFile | undefined {
  const isAlone = node.texts.length === 0 && !node.items && !node.parts && !node.json;
  return isAlone && node.files?.length === 1 ? node.files[0] : undefined;
}

/** The one text of a node that is nothing else. */
export function onlyText(node: FormNode): string | undefined {
  const isAlone = !node.items && !node.parts && !node.files && !node.json;
  return node.texts.length === 1 && isAlone ? node.texts[0] : undefined;
}

/** The one JSON of a node that is nothing else: a part of that type, be it a file (`new Blob([…], {type: "application/json"})`). */
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

/** The elements of a node read as a list: repeated texts, `a[]`, and `a[0]`, `a[1]` by their numbers; undefined where it has other parts. */
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
