/** Builds the request from the form. */
import type { TryItFormsResponse } from "../../../../src/admin/api/requests/try-it.ts";

export type FormEndpoint = TryItFormsResponse["endpoints"][number];
export type FormInput = FormEndpoint["inputs"][number];

/** By `place.name`; empty values are not sent. */
export type InputTexts = Readonly<Record<string, string>>;

/** Selected files, by `place.name`. */
export type InputFiles = Readonly<Record<string, readonly File[]>>;

/** Only multipart forms can carry files. */
export const acceptsFiles = (type: string | undefined): boolean => type === "multipart/form-data";

export class NotJson extends Error {
  readonly key: string;
  constructor(key: string, problem: string) {
    super(problem);
    this.key = key;
  }
}

export const keyOf = ({ in: place, name }: FormInput): string => `${place}.${name}`;

/** Whether its value is written as JSON: a list, an address, anything with parts. */
function isJson({ type, in: place }: FormInput): boolean {
  return (
    place === "body" &&
    /^(list|map) of |^(object|json|number|integer)$|^[A-Z]/.test(type) &&
    !isReference(type)
  );
}

/**
 * A resource's name is either an identifier or a value with parts: only the service can distinguish
 * them, so both are accepted.
 */
function isReference(type: string): boolean {
  return /^[A-Z]/.test(type);
}

/** The values of a scenario: `{{run}}` becomes a unique text each time. */
export function textsFrom(values: InputTexts): InputTexts {
  const run = Date.now().toString(36);
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => [name, text.replaceAll("{{run}}", run)]),
  );
}

/** The content of the form. */
export interface FormContent {
  readonly texts: InputTexts;
  readonly files: InputFiles;
  readonly further: string;
  /** The media type of the body. */
  readonly type: string | undefined;
}

/** @throws NotJson */
export async function requestOf(endpoint: FormEndpoint, { texts, files, further, type }: FormContent) {
  const filledInputs = endpoint.inputs.filter((input) => (texts[keyOf(input)] ?? "") !== "");
  const textOf = (input: FormInput) => texts[keyOf(input)] as string;
  let path = endpoint.path;
  for (const input of endpoint.inputs)
    if (input.in === "path")
      path = path.replace(
        new RegExp(`\\{${input.name}(?:\\.\\.\\.)?\\}`),
        encodeURIComponent(texts[keyOf(input)] ?? ""),
      );
  const isForm = type?.includes("urlencoded");
  const json = bodyOf(endpoint, filledInputs, textOf);
  const parts = acceptsFiles(type) ? [...textParts(json), ...(await fileParts(endpoint, files))] : undefined;
  const body = parts ? undefined : isForm && json !== undefined ? formOf(json) : json;
  const headers = [
    ...filledInputs
      .filter((input) => input.in === "header")
      .map((input) => ({ name: input.name, value: textOf(input) })),
    ...further
      .split("\n")
      .map((line) => line.split(/:(.*)/s))
      .filter(([name = "", value]) => name.trim() !== "" && value !== undefined)
      .map(([name = "", value = ""]) => ({ name: name.trim(), value: value.trim() })),
    ...(body === undefined ? [] : [{ name: "Content-Type", value: type ?? "application/json" }]),
  ];
  return {
    method: endpoint.method,
    path,
    query: filledInputs
      .filter((input) => input.in === "query")
      .map((input) => ({ name: input.name, value: textOf(input) })),
    headers,
    ...(body === undefined ? {} : { body }),
    ...(parts && parts.length > 0 ? { parts } : {}),
  };
}

function textParts(json: string | undefined) {
  return json === undefined ? [] : pairsOf(json).map(([name, value]) => ({ name, value }));
}

async function fileParts({ body_in, inputs }: FormEndpoint, selectedFiles: InputFiles) {
  const files = inputs.flatMap((input) =>
    (selectedFiles[keyOf(input)] ?? []).map((file) => ({ name: inBrackets(input.name, body_in), file })),
  );
  return Promise.all(
    files.map(async ({ name, file }) => ({
      name,
      file: { name: file.name, type: file.type, content: await base64Of(file) },
    })),
  );
}

/** `card.photo` → `card[photo]`. */
function inBrackets(name: string, wrapper: string | null): string {
  const [first = "", ...rest] = [...(wrapper === null ? [] : [wrapper]), ...name.split(".")];
  return first + rest.map((key) => `[${key}]`).join("");
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    // `data:image/png;base64,…`; for an empty file there is no comma.
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** The body as JSON text, in which digits stay as typed. */
function bodyOf(
  { body_in, body_is, inputs }: FormEndpoint,
  filledInputs: readonly FormInput[],
  textOf: (input: FormInput) => string,
): string | undefined {
  if (!inputs.some((input) => input.in === "body")) return undefined;
  const tree: Tree = new Map();
  for (const input of filledInputs) {
    if (input.in !== "body") continue;
    const names = input.name.split(".");
    let at = tree;
    for (const name of names.slice(0, -1)) {
      const inner = at.get(name);
      const next: Tree = inner instanceof Map ? inner : new Map();
      at.set(name, next);
      at = next;
    }
    at.set(names.at(-1) as string, valueText(input, textOf(input)));
  }
  const only = body_is === null ? undefined : tree.get(body_is);
  if (body_is !== null) return typeof only === "object" ? treeText(only) : only;
  const wholeBody = treeText(tree);
  return body_in === null ? wholeBody : `{${JSON.stringify(body_in)}:${wholeBody}}`;
}

/** The body as a form: `card[number]=4242&expand[]=customer`. */
function formOf(json: string): string {
  return new URLSearchParams(pairsOf(json)).toString();
}

/** Names and values of a form, with digits as typed. */
function pairsOf(json: string): [string, string][] {
  const pairs: [string, string][] = [];
  const put = (name: string, value: unknown) => {
    if (Array.isArray(value))
      for (const [at, element] of value.entries())
        put(typeof element === "object" && element !== null ? `${name}[${at}]` : `${name}[]`, element);
    else if (typeof value === "object" && value !== null)
      for (const [inner, member] of Object.entries(value))
        put(name === "" ? inner : `${name}[${inner}]`, member);
    else pairs.push([name, value === null ? "" : String(value)]);
  };
  // Keeps each number as its source text, without rounding.
  const asSourceText = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? (context?.source ?? value) : value;
  put("", JSON.parse(json, asSourceText));
  return pairs;
}

type Tree = Map<string, Tree | string>;

function treeText(tree: Tree): string {
  const pairs = [...tree].map(
    ([name, value]) => `${JSON.stringify(name)}:${typeof value === "string" ? value : treeText(value)}`,
  );
  return `{${pairs.join(",")}}`;
}

/** @throws NotJson */
function valueText(input: FormInput, text: string): string {
  if (input.type === "boolean" || text === "null") return text;
  // An identifier is a text; JSON of an object or a list is a value.
  if (isReference(input.type) && !/^\s*[{[]/.test(text)) return JSON.stringify(text);
  // If several types are allowed, valid JSON is sent as JSON.
  const isEither = input.type.includes(" or ");
  if (!isJson(input) && !isReference(input.type) && !isEither) return JSON.stringify(text);
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    // A word in place of a number is sent, and the service reports it.
    if (isEither || /^(integer|number)$/.test(input.type)) return JSON.stringify(text);
    throw new NotJson(keyOf(input), (error as Error).message);
  }
}
