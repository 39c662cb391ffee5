/**
 * A scenario's expectations of a response as Arazzo's success criteria, and its captures as
 * outputs. Plain values are compared by simple conditions; what those can't express (that something
 * exists or doesn't, how long a list is, texts with quotes) uses JSONPath, where `@` is the body,
 * as in Arazzo's own examples. Of a text with captures inside, the text around them is compared.
 * Types of captured values are left to the schemas of the OpenAPI file.
 */
import { readCaptures } from "../../model/captures.ts";
import type { Json } from "../../support/json.ts";
import type { ExchangeExample } from "../wire/wire.ts";
import type { ExpressionOf } from "./fill.ts";

export interface Expectations {
  readonly criteria: readonly Json[];
  /** Runtime expressions by the names that the scenario captures by. */
  readonly outputs: ReadonlyMap<string, string>;
  /** What is expected and can't be said. */
  readonly leftOut: readonly string[];
}

type Keys = readonly (string | number)[];

export function expectationsOf(
  { status, headers, body }: ExchangeExample["response"],
  expressionOf: ExpressionOf,
): Expectations {
  const criteria: Json[] = [{ condition: `$statusCode == ${status}` }];
  const outputs = new Map<string, string>();
  const leftOut: string[] = [];
  const known = (name: string) => outputs.get(name) ?? expressionOf(name);

  const compare = (expected: Json, keys: Keys): void => {
    if (typeof expected === "string") compareText(expected, keys);
    else if (Array.isArray(expected)) {
      criteria.push(inJsonPath(`length(${queryOf(keys)}) == ${expected.length}`));
      for (const [at, one] of expected.entries()) compare(one as Json, [...keys, at]);
    } else if (expected !== null && typeof expected === "object") {
      const members = Object.entries(expected);
      if (members.length === 0 && keys.length > 0) criteria.push(inJsonPath(queryOf(keys)));
      for (const [key, one] of members) compare(one, [...keys, key]);
    } else criteria.push(equals(keys, expected));
  };

  const compareText = (expected: string, keys: Keys): void => {
    const { captures } = readCaptures(expected);
    const [first] = captures;
    if (!first) criteria.push(equals(keys, expected));
    else if (first.from > 0 || first.to < expected.length)
      criteria.push(inJsonPath(`match(${queryOf(keys)}, '${textAround(expected, ".*")}')`));
    else if (first.name === "absent") criteria.push(inJsonPath(`!${queryOf(keys)}`));
    else if (first.type === "null") criteria.push(equals(keys, null));
    else {
      const expression = known(first.name);
      criteria.push(
        expression === undefined
          ? inJsonPath(queryOf(keys))
          : { condition: `${pointerOf(keys)} == ${expression}` },
      );
      if (expression === undefined && first.name !== "*") outputs.set(first.name, pointerOf(keys));
    }
  };

  const compareWhole = (context: string, expected: string): void => {
    const { captures } = readCaptures(expected);
    const [first] = captures;
    const isOne = first !== undefined && first.from === 0 && first.to === expected.length;
    const expression = isOne ? known(first.name) : undefined;
    if (isOne && first.name === "absent") leftOut.push(`that ${context} is absent`);
    else if (expression !== undefined) criteria.push({ condition: `${context} == ${expression}` });
    else criteria.push({ context, type: "regex", condition: `^${asRegExp(expected)}$` });
    if (isOne && expression === undefined && !["*", "absent"].includes(first.name))
      outputs.set(first.name, context);
  };

  // The body first: it knows the types of what it captures, and a header has only text.
  if (typeof body === "string") compareWhole("$response.body", body.trim());
  else if (body !== undefined) compare(body, []);
  for (const [name, value] of headers) compareWhole(`$response.header.${name}`, value.trim());
  return { criteria, outputs, leftOut };
}

function equals(keys: Keys, value: string | number | boolean | null): Json {
  const isPlain =
    keys.every((key) => /^[\w-]+$/.test(String(key))) &&
    // Simple conditions know no minus, and of quotes and dollars their readers think differently.
    (typeof value === "string" ? /^[^'"\\$\p{Cc}{}]*$/u.test(value) : !String(value).startsWith("-"));
  if (!isPlain) return inJsonPath(`${queryOf(keys)} == ${literal(value)}`);
  return { condition: `${pointerOf(keys)} == ${typeof value === "string" ? `'${value}'` : value}` };
}

function inJsonPath(test: string): Json {
  return { context: "$response.body", type: "jsonpath", condition: `$[?${test}]` };
}

function pointerOf(keys: Keys): string {
  const pointer = keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return pointer === "" ? "$response.body" : `$response.body#${pointer}`;
}

/** RFC 9535: where the body is `@`. */
function queryOf(keys: Keys): string {
  const parts = keys.map((key) =>
    typeof key === "string" && /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${literal(key)}]`,
  );
  return `@${parts.join("")}`;
}

/** RFC 9535. Braces are written as their numbers: in `{$` an expression would begin. */
function literal(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value);
  return `'${value.replace(/['\\{}\p{Cc}]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)}'`;
}

/** RFC 9485: any character stands for one that would have to be escaped. */
function textAround(expected: string, between: string): string {
  return piecesAround(expected, (piece) => piece.replace(/[^A-Za-z0-9 _:/@-]/gu, ".")).join(between);
}

function asRegExp(expected: string): string {
  return piecesAround(expected, (piece) => piece.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("[\\s\\S]+");
}

function piecesAround(expected: string, write: (piece: string) => string): readonly string[] {
  const { captures } = readCaptures(expected);
  const starts = [0, ...captures.map(({ to }) => to)];
  return starts.map((from, at) => write(expected.slice(from, captures[at]?.from)));
}
