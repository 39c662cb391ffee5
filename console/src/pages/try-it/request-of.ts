/** What the form holds, as the request that it means. */
import type { TrialsAnswer } from "../../../../src/operations/api/trial.ts";

export type TriedEndpoint = TrialsAnswer["endpoints"][number];
export type TriedInput = TriedEndpoint["inputs"][number];

/** By `place.name`; what is empty is not sent. */
export type Typed = Readonly<Record<string, string>>;

export class NotJson extends Error {
  readonly key: string;
  constructor(key: string, problem: string) {
    super(problem);
    this.key = key;
  }
}

export const keyOf = ({ in: place, name }: TriedInput): string => `${place}.${name}`;

/** Its value is written as JSON: a list, an address, anything with parts. */
export function isJson({ type, in: place }: TriedInput): boolean {
  return (
    place === "body" &&
    /^(list|map) of |^(object|json|number|integer)$|^[A-Z]/.test(type) &&
    !isReference(type)
  );
}

/** A resource's name stands for an identifier, or for a value with parts: only the service knows which. Either may be typed. */
function isReference(type: string): boolean {
  return /^[A-Z]/.test(type);
}

/** What a scenario fills in: `{{run}}` is a text of its own each time. */
export function filledFrom(values: Typed): Typed {
  const run = Date.now().toString(36);
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => [name, text.replaceAll("{{run}}", run)]),
  );
}

/** @throws NotJson */
export function requestOf(endpoint: TriedEndpoint, typed: Typed, further: string, type: string | undefined) {
  const sent = endpoint.inputs.filter((input) => (typed[keyOf(input)] ?? "") !== "");
  const textOf = (input: TriedInput) => typed[keyOf(input)] as string;
  let path = endpoint.path;
  for (const input of endpoint.inputs)
    if (input.in === "path")
      path = path.replace(`{${input.name}}`, encodeURIComponent(typed[keyOf(input)] ?? ""));
  const isForm = type?.includes("urlencoded");
  const json = bodyOf(endpoint, sent, textOf);
  const body = isForm && json !== undefined ? formOf(json) : json;
  const headers = [
    ...sent
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
    query: sent
      .filter((input) => input.in === "query")
      .map((input) => ({ name: input.name, value: textOf(input) })),
    headers,
    ...(body === undefined ? {} : { body }),
  };
}

/** Digits stay as they were typed: they are put in as text. */
function bodyOf(
  { body_in, body_is, inputs }: TriedEndpoint,
  sent: readonly TriedInput[],
  textOf: (input: TriedInput) => string,
): string | undefined {
  if (!inputs.some((input) => input.in === "body")) return undefined;
  const tree: Tree = new Map();
  for (const input of sent) {
    if (input.in !== "body") continue;
    const names = input.name.split(".");
    let at = tree;
    for (const name of names.slice(0, -1)) {
      const inner = at.get(name);
      const next: Tree = inner instanceof Map ? inner : new Map();
      at.set(name, next);
      at = next;
    }
    at.set(names.at(-1) as string, writtenOf(input, textOf(input)));
  }
  const only = body_is === null ? undefined : tree.get(body_is);
  if (body_is !== null) return typeof only === "object" ? written(only) : only;
  const whole = written(tree);
  return body_in === null ? whole : `{${JSON.stringify(body_in)}:${whole}}`;
}

/** The same as a form: `card[number]=4242&expand[]=customer`; digits are as they were typed. */
function formOf(json: string): string {
  const pairs: [string, string][] = [];
  const put = (name: string, value: unknown) => {
    if (Array.isArray(value))
      for (const [at, one] of value.entries())
        put(typeof one === "object" && one !== null ? `${name}[${at}]` : `${name}[]`, one);
    else if (typeof value === "object" && value !== null)
      for (const [inner, one] of Object.entries(value)) put(name === "" ? inner : `${name}[${inner}]`, one);
    else pairs.push([name, value === null ? "" : String(value)]);
  };
  // As JSON tells, of a number, what was written.
  const asWritten = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? (context?.source ?? value) : value;
  put("", JSON.parse(json, asWritten));
  return new URLSearchParams(pairs).toString();
}

type Tree = Map<string, Tree | string>;

function written(tree: Tree): string {
  const pairs = [...tree].map(
    ([name, value]) => `${JSON.stringify(name)}:${typeof value === "string" ? value : written(value)}`,
  );
  return `{${pairs.join(",")}}`;
}

/** @throws NotJson */
function writtenOf(input: TriedInput, text: string): string {
  if (input.type === "boolean" || text === "null") return text;
  // An identifier is a text; what begins as an object or a list is one.
  if (isReference(input.type) && !/^\s*[{[]/.test(text)) return JSON.stringify(text);
  // Of several types, what can be read as JSON is meant as it.
  const isEither = input.type.includes(" or ");
  if (!isJson(input) && !isReference(input.type) && !isEither) return JSON.stringify(text);
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    // Whoever types a word where a number is wanted is told so by the service.
    if (isEither || /^(integer|number)$/.test(input.type)) return JSON.stringify(text);
    throw new NotJson(keyOf(input), (error as Error).message);
  }
}
