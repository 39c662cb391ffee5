/** Postman collections, formats 2.0 and 2.1: paths, names of inputs and the location of the credential. */
import {
  isPlain,
  listOf,
  member,
  numberOf,
  type Plain,
  plainOf,
  textOf,
} from "../openapi/description/values.ts";
import { bodyKeys, documentedPairsOf, jsonOf, pairsOf, segmentsOf } from "./parts.ts";
import { describeRequests, type RecordedRequest } from "./requests.ts";
import { type Described, memberText, SecretCollector } from "./secret-places.ts";
import { isCredentialHeader, isSecretName } from "./secrets.ts";

/** Maximum depth of nested folders. */
const depthMax = 20;

export function describePostman(first: Plain): Described {
  const collector = new SecretCollector();
  collectAuth(first["auth"], undefined, collector);
  const items = itemsIn(member(first, "item"), 0);
  for (const [index, item] of items.entries()) collectCredentials(item, index + 1, collector);
  const requests = items.flatMap((item, index) => requestOf(item, index + 1));
  const { paths, secrets } = describeRequests(requests, collector);
  const schemes = schemesOf(first);
  const description = {
    info: {
      title: textOf(member(member(first, "info"), "name")) ?? "Collection",
      description: descriptionOf(first),
    },
    paths,
    components: { securitySchemes: schemes },
    security: Object.keys(schemes).map((name) => ({ [name]: [] })),
  };
  return { description, secrets };
}

function descriptionOf(node: unknown): string | undefined {
  const description = member(isPlain(member(node, "info")) ? member(node, "info") : node, "description");
  return textOf(description) ?? textOf(member(description, "content"));
}

/** The requests in their order, with those of nested folders. */
function itemsIn(items: unknown, depth: number): readonly unknown[] {
  if (depth > depthMax) return [];
  return listOf(items).flatMap((item) =>
    Array.isArray(member(item, "item")) ? itemsIn(member(item, "item"), depth + 1) : [item],
  );
}

/** The credentials of a request, none of which is kept. */
function collectCredentials(item: unknown, number: number, secrets: SecretCollector): void {
  const request = member(item, "request");
  for (const [name, value] of documentedPairsOf(member(request, "header"), "key"))
    if (isCredentialHeader(name) && isValue(value))
      secrets.add(number, `header ${memberText([name])}`, `${name.toLowerCase()} ${value}`);
  collectAuth(member(request, "auth"), number, secrets);
}

function collectAuth(auth: unknown, number: number | undefined, secrets: SecretCollector): void {
  const type = textOf(member(auth, "type")) ?? "";
  const stated = member(auth, type);
  const pairs = isPlain(stated) ? Object.entries(stated) : documentedPairsOf(stated, "key");
  for (const [name, value] of pairs) {
    const isSecret = isSecretName(name) || (type === "apikey" && name === "value");
    if (isSecret && typeof value === "string" && isValue(value))
      secrets.add(number, `auth ${memberText([type, name])}`, `${name} ${value}`);
  }
}

/** Whether a text is a value. A variable of the collection (`{{token}}`) is none. */
function isValue(text: string): boolean {
  return text !== "" && !text.includes("{{");
}

function requestOf(item: unknown, number: number): readonly RecordedRequest[] {
  const request = member(item, "request");
  const url = member(request, "url") ?? request;
  const raw = textOf(url) ?? textOf(member(url, "raw"));
  if (raw === undefined) return [];
  const [address = "", search = ""] = (raw.split("#")[0] ?? "").split("?", 2);
  const headers = pairsOf(member(request, "header"), "key");
  const declared = documentedPairsOf(member(url, "query"), "key");
  return [
    {
      number,
      method: textOf(member(request, "method")) ?? "GET",
      segments: segmentsOf(pathIn(address)).map(segmentOf),
      query: declared.length > 0 ? declared : [...new URLSearchParams(search)],
      headers: headers.map(([name]) => name),
      body: bodyOf(member(request, "body"), headers),
      summary: textOf(member(item, "name")),
      answers: listOf(member(item, "response")).flatMap(answerOf),
    },
  ];
}

/** The path behind `https://host`, `host` or `{{baseUrl}}`. */
function pathIn(address: string): string {
  return address.replace(/^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/]*/i, "");
}

/** A segment of a path: `:id` and `{{id}}` are parameters. */
function segmentOf(segment: string): string {
  const name = /^:([\w.-]+)$/.exec(segment)?.[1] ?? /^\{\{([^{}]+)\}\}$/.exec(segment)?.[1];
  return name === undefined ? segment.replace(/\{\{|\}\}/g, "") : `{${name}}`;
}

function bodyOf(body: unknown, headers: readonly (readonly [string, string])[]): RecordedRequest["body"] {
  const declared = headers
    .find(([name]) => /^content-type$/i.test(name))?.[1]
    .split(";")[0]
    ?.trim();
  switch (member(body, "mode")) {
    case "urlencoded":
      return {
        type: "application/x-www-form-urlencoded",
        keys: documentedPairsOf(member(body, "urlencoded"), "key"),
      };
    case "formdata":
      return { type: "multipart/form-data", keys: documentedPairsOf(member(body, "formdata"), "key") };
    case "raw": {
      const text = withoutVariables(textOf(member(body, "raw")) ?? "");
      const isJson =
        member(member(member(body, "options"), "raw"), "language") === "json" || isPlain(jsonOf(text));
      const type = declared ?? (isJson ? "application/json" : "text/plain");
      return { type: type.toLowerCase(), keys: bodyKeys(type, text) };
    }
    case "graphql":
      return { type: "application/json", keys: graphqlKeys(plainOf(member(body, "graphql"))) };
    case "file":
      return { type: declared ?? "application/octet-stream", keys: undefined };
    default:
      return undefined;
  }
}

/** A query of GraphQL is sent as JSON. */
function graphqlKeys({ query, variables }: Plain): readonly (readonly [string, unknown])[] {
  return [
    ["query", textOf(query) ?? ""],
    ...((textOf(variables) ?? "") === "" ? [] : [["variables", {}] as const]),
  ];
}

/** The JSON in which values are variables of the collection, `{"count": {{count}}}`, or that has comments. */
function withoutVariables(text: string): string {
  if (jsonOf(text) !== undefined) return text;
  return text.replace(/"(?:[^"\\\n]|\\.)*"|\{\{[^{}\n]*\}\}|\/\/[^\n]*/g, (piece) => {
    if (piece.startsWith('"')) return piece;
    return piece.startsWith("{{") ? "null" : "";
  });
}

function answerOf(response: unknown): RecordedRequest["answers"] {
  const status = numberOf(member(response, "code"));
  if (status === undefined || status < 100 || status > 599) return [];
  const text = textOf(member(response, "body")) ?? "";
  const type = pairsOf(member(response, "header"), "key").find(([name]) => /^content-type$/i.test(name))?.[1];
  const stated =
    type?.split(";")[0]?.trim() ?? (jsonOf(text) === undefined ? "text/plain" : "application/json");
  return [{ status, type: text === "" ? undefined : stated, body: jsonOf(text) }];
}

/** The collection's authentication: where the credential is sent. The credential itself isn't read. */
function schemesOf(first: Plain): Plain {
  const auth = plainOf(member(first, "auth"));
  const type = textOf(auth["type"]);
  if (type === "bearer" || type === "basic") return { [type]: { type: "http", scheme: type } };
  if (type !== "apikey") return {};
  const values = new Map(pairsOf(auth["apikey"], "key"));
  return { "api key": { type: "apiKey", in: values.get("in") ?? "header", name: values.get("key") } };
}
