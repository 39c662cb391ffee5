/** A scenario's request as an Arazzo step sends it: parameters by name and place, and a body. */
import type { HttpRequestText } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { ExchangeExample, Operation, Wire } from "../wire/wire.ts";
import { type ExpressionOf, fillJson, fillText } from "./fill.ts";
import type { Inputs } from "./inputs.ts";
import { Unsayable } from "./unsayable.ts";

export interface ArazzoRequest {
  readonly parameters?: Json;
  readonly requestBody?: Json;
}

interface Sent {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly text: string;
}

/** Media types that say how the body is written, without parameters. */
const formType = "application/x-www-form-urlencoded";

export function requestOf(
  wire: Wire,
  operation: Operation,
  example: ExchangeExample["request"],
  { body }: HttpRequestText,
  inputs: Inputs,
  expressionOf: ExpressionOf,
): ArazzoRequest {
  if (isSigned(wire, operation, example))
    throw new Unsayable("it is signed, letter by letter, as this scenario sends it");
  const [path = "", query = ""] = targetOf(wire, example.target).split("?", 2);
  const sent: readonly Sent[] = withVersion(wire, [
    ...pathParameters(wire.basePath + operation.path, path),
    ...queryParameters(query),
    ...example.headers
      .filter(([name]) => name.toLowerCase() !== "content-type")
      .map(([name, text]): Sent => ({ in: "header", name, text: text.trim() })),
  ]);
  const parameters = sent.map(({ in: place, name, text }) => ({
    name,
    in: place,
    value: parameterValue(text, inputs, expressionOf),
  }));
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(example.body === undefined || !body
      ? {}
      : { requestBody: requestBodyOf(example, example.body, body.text, expressionOf) }),
  };
}

function isSigned(
  { security }: Wire,
  operation: Operation,
  { headers }: ExchangeExample["request"],
): boolean {
  return security.some(
    ({ key, signature }) =>
      signature !== undefined &&
      operation.security.includes(key) &&
      headers.some(([name]) => name.toLowerCase() === signature.header.toLowerCase()),
  );
}

/** Part 1: a scenario speaks the current version unless it sends another. */
export function targetOf({ version, versions }: Pick<Wire, "version" | "versions">, target: string): string {
  const local = target.replace(/^https?:\/\/[^/?]*/i, "");
  if (version?.requested.in !== "path") return local;
  const names = versions.map((one) => `/${one.name}`);
  return names.some((name) => local === name || local.startsWith(`${name}/`))
    ? local
    : version.requested.prefix + local;
}

function withVersion({ version, versions }: Wire, sent: readonly Sent[]): readonly Sent[] {
  const requested = version?.requested;
  if (version && requested?.in === "media type") {
    const accepted =
      sent.find((one) => one.in === "header" && one.name.toLowerCase() === "accept")?.text ?? "";
    // `application/json; version=v2`, `application/vnd.notes.v2+json`
    const names = ({ name }: { readonly name: string }) =>
      accepted.split(/[\s;,+="]|vnd\.\w+\.|\.json/).includes(name);
    const other = versions.find((one) => one.name !== version.name && names(one));
    if (other || !(version.isDefault || names(version)))
      throw new Unsayable(
        `it speaks ${other ? `version ${other.name}` : "the default version"}, and the file is of ${version.name}`,
      );
  }
  if (requested?.in !== "header" && requested?.in !== "query") return sent;
  const isIt = (one: Sent) =>
    one.in === requested.in && one.name.toLowerCase() === requested.name.toLowerCase();
  const said = sent.find(isIt);
  if (said && said.text !== requested.value)
    throw new Unsayable(`it speaks version ${said.text}, and the file is of ${requested.value}`);
  return said ? sent : [...sent, { in: requested.in, name: requested.name, text: requested.value }];
}

function pathParameters(template: string, path: string): readonly Sent[] {
  const segments = path.split("/").filter((one) => one !== "");
  return template
    .split("/")
    .filter((one) => one !== "")
    .flatMap((part, at): readonly Sent[] => {
      const [, before = "", name, behind = ""] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(part) ?? [];
      const segment = segments[at];
      if (name === undefined || segment === undefined) return [];
      const text = segment.slice(before.length, segment.length - behind.length);
      return [{ in: "path", name, text: decoded(text) }];
    });
}

function queryParameters(query: string): readonly Sent[] {
  const pairs = pairsOf(query);
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Unsayable(`its query has ${twice} twice, and a parameter stands once`);
  return pairs.map(([name, text]) => ({ in: "query", name, text }));
}

/** Names and values of a query or a form, decoded; captures stay what they are. */
function pairsOf(text: string): readonly (readonly [string, string])[] {
  return text
    .split("&")
    .filter((one) => one !== "")
    .map((one) => {
      const [name = "", ...value] = one.replaceAll("+", " ").split("=");
      return [decoded(name), decoded(value.join("="))] as const;
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Unsayable(`"${text}" isn't percent-encoded`);
  }
}

function parameterValue(text: string, inputs: Inputs, expressionOf: ExpressionOf): string {
  const withInputs = inputs.withCredentials(text);
  return withInputs === text ? fillText(text, expressionOf) : withInputs;
}

function requestBodyOf(
  { headers }: ExchangeExample["request"],
  body: Json,
  text: string,
  expressionOf: ExpressionOf,
): Json {
  const contentType =
    headers.find(([name]) => name.toLowerCase() === "content-type")?.[1].trim() ?? "application/json";
  if (/\bjson\b/i.test(contentType) && typeof body === "string" && !text.trim().startsWith('"'))
    throw new Unsayable("its body says that it is JSON, and isn't");
  const [type = "", ...parameters] = contentType.split(";").map((one) => one.trim().toLowerCase());
  if (type.startsWith("multipart/")) throw new Unsayable("its body has parts, letter by letter");
  if (parameters.some((one) => !one.startsWith("charset=")))
    throw new Unsayable(`no operation of the file takes ${contentType}`);
  if (type !== formType) return { contentType, payload: fillJson(body, expressionOf) };
  const pairs = pairsOf(text);
  // As members a name stands once.
  const isObject = new Set(pairs.map(([name]) => name)).size === pairs.length;
  return {
    contentType,
    payload: isObject
      ? Object.fromEntries(pairs.map(([name, value]) => [name, fillText(value, expressionOf)]))
      : fillText(text, expressionOf),
  };
}
