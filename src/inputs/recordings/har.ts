/** HAR: the requests of a recording to its most frequent host, without those for pages, scripts, styles and images. */
import { type Plain, listOf, member, numberOf, plainOf, textOf } from "../openapi/values.ts";
import { bodyKeys, jsonOf, pairsOf, segmentsOf } from "./parts.ts";
import { describeRequests, type RecordedRequest } from "./requests.ts";

export function describeHar(first: Plain): Plain {
  const entries = listOf(member(member(first, "log"), "entries")).flatMap((entry) => {
    const url = urlOf(textOf(member(member(entry, "request"), "url")));
    return url === undefined ? [] : [{ entry, url }];
  });
  const calls = entries.filter(({ entry }) => isCall(entry));
  const hosts = Map.groupBy(calls, ({ url }) => url.host);
  const [host = "", ...others] = [...hosts]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name]) => name);
  const own = hosts.get(host) ?? [];
  const { paths, secrets } = describeRequests(
    own.map(({ entry, url }) => requestOf(entry, url)),
    credentialsOf(own.map(({ entry }) => entry)),
  );
  const left = entries.length - calls.length;
  return {
    info: { title: host === "" ? "Recording" : host },
    paths,
    "x-ninefold-seen": [
      ...others.map((name) => `${hosts.get(name)?.length ?? 0} requests to ${name}, which are left out`),
      ...(left === 0 ? [] : [`${left} requests for pages, scripts, styles and pictures, which are left out`]),
    ],
    "x-ninefold-secrets": secrets + secretHeaders(own.map(({ entry }) => entry)),
  };
}

function urlOf(text: string | undefined): URL | undefined {
  const url = text === undefined ? undefined : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Whether an entry is a request to an API, by the type of its response. */
function isCall(entry: unknown): boolean {
  const type = textOf(member(member(member(entry, "response"), "content"), "mimeType")) ?? "";
  const method = textOf(member(member(entry, "request"), "method")) ?? "";
  if (/^(OPTIONS|HEAD|CONNECT|TRACE)$/i.test(method)) return false;
  return !/html|css|javascript|ecmascript|^(image|font|audio|video)\/|wasm/i.test(type);
}

function requestOf(entry: unknown, url: URL): RecordedRequest {
  const request = plainOf(member(entry, "request"));
  const response = plainOf(member(entry, "response"));
  const status = numberOf(response["status"]) ?? 0;
  const content = plainOf(response["content"]);
  const size = textOf(content["text"]) ?? "";
  const type = (textOf(content["mimeType"]) ?? "").split(";")[0]?.trim() ?? "";
  const isEmpty = size === "" && (numberOf(content["size"]) ?? 0) <= 0;
  return {
    method: textOf(request["method"]) ?? "GET",
    segments: segmentsOf(url.pathname),
    query: [...url.searchParams],
    headers: pairsOf(request["headers"], "name").map(([name]) => name),
    body: bodyOf(request["postData"]),
    summary: undefined,
    answers:
      status < 100 || status > 599
        ? []
        : [{ status, type: isEmpty || type === "" ? undefined : type, body: jsonOf(size) }],
  };
}

function bodyOf(postData: unknown): RecordedRequest["body"] {
  const type = (textOf(member(postData, "mimeType")) ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "") return undefined;
  const params = pairsOf(member(postData, "params"), "name");
  return { type, keys: params.length > 0 ? params : bodyKeys(type, textOf(member(postData, "text")) ?? "") };
}

/** Credentials of headers, in requests and responses: none is kept. */
function secretHeaders(entries: readonly unknown[]): number {
  return new Set(secretPairs(entries).map(([name, value]) => `${name.toLowerCase()} ${value}`)).size;
}

/** Shorter words are no credentials: a body may have them by chance. */
const wordMin = 4;

/** The words of these headers: `Bearer`, the token, the name and the value of a cookie. */
function credentialsOf(entries: readonly unknown[]): ReadonlySet<string> {
  const words = secretPairs(entries).flatMap(([, value]) => value.split(/[\s;=,]+/));
  return new Set(words.filter((word) => word.length >= wordMin));
}

function secretPairs(entries: readonly unknown[]): readonly (readonly [string, string])[] {
  return entries.flatMap((entry) =>
    ["request", "response"].flatMap((side) =>
      pairsOf(member(member(entry, side), "headers"), "name").filter(
        ([name]) => /^((proxy-)?authorization|(set-)?cookie)$/i.test(name) || /api-?key|token/i.test(name),
      ),
    ),
  );
}
