/** Pairs of a form or a query as a tree of texts, before the types of inputs say what they mean. `engine/http` reads them. */

export interface FormNode {
  /** `a=1`, and `a=2` where the name is repeated, in order. */
  readonly texts: readonly string[];
  /** Of a multipart body, in order. */
  readonly files?: readonly FormFile[];
  /** `a[]=1`: elements of a list, in order. */
  readonly items?: readonly FormNode[];
  /** `a[b]=1`, `a[0]=1`: by what stands in the brackets. */
  readonly parts?: ReadonlyMap<string, FormNode>;
}

export interface FormFile {
  /** Without folders; the empty text where it has none. */
  readonly name: string;
  /** What its sender says, in small letters and without parameters. */
  readonly type?: string;
  readonly bytes: Uint8Array;
}

/** The one file of a node that is nothing else. */
export function onlyFile(node: FormNode): FormFile | undefined {
  const isAlone = node.texts.length === 0 && !node.items && !node.parts;
  return isAlone && node.files?.length === 1 ? node.files[0] : undefined;
}

/** The one text of a node that is nothing else. */
export function onlyText(node: FormNode): string | undefined {
  return node.texts.length === 1 && !node.items && !node.parts && !node.files ? node.texts[0] : undefined;
}

const indexForm = /^(?:0|[1-9]\d{0,5})$/;

/** The elements of a node read as a list: repeated texts, `a[]`, and `a[0]`, `a[1]` by their numbers; undefined where it has other parts. */
export function elementsOf(node: FormNode): readonly FormNode[] | undefined {
  const texts = node.texts.map((text) => ({ texts: [text] }));
  const files = node.files?.map((file): FormNode => ({ texts: [], files: [file] })) ?? [];
  const elements: FormNode[] = [...texts, ...files, ...(node.items ?? [])];
  if (!node.parts) return elements;
  const indexed = [...node.parts];
  if (!indexed.every(([key]) => indexForm.test(key))) return undefined;
  for (const [, part] of indexed.sort(([a], [b]) => Number(a) - Number(b))) elements.push(part);
  return elements;
}
