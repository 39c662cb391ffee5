/** HAR: the requests of a recording to its most frequent host, without those for pages, scripts, styles and images. */
import { type Plain, listOf, member, numberOf, plainOf, textOf } from "../openapi/description/values.ts";
import { bodyKeys, jsonOf, pairsOf, segmentsOf } from "./parts.ts";
import { describeRequests, type RecordedRequest } from "./requests.ts";
import { type Described, memberText, SecretCollector } from "./secret-places.ts";
import { isCredentialHeader, wordsOfCredential } from "./secrets.ts";

export function describeHar(first: Plain): Described {
  const entries = listOf(member(member(first, "log"), "entries")).flatMap((entry, index) => {
    const url = urlOf(textOf(member(member(entry, "request"), "url")));
    return url === undefined ? [] : [{ entry, url, number: index + 1 }];
  });
  const calls = entries.filter(({ entry }) => isCall(entry));
  const hosts = Map.groupBy(calls, ({ url }) => url.host);
  const [host = "", ...others] = [...hosts]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name]) => name);
  const own = hosts.get(host) ?? [];
  const collector = new SecretCollector();
  const credentials = credentialsOf(own, collector);
  const { paths, secrets } = describeRequests(own.map(requestOf), collector, credentials);
  const left = entries.length - calls.length;
  const description = {
    info: { title: host === "" ? "Recording" : host },
    paths,
    "x-ninefold-seen": [
      ...others.map((name) => `${hosts.get(name)?.length ?? 0} requests to ${name}, which are left out`),
      ...(left === 0 ? [] : [`${left} requests for pages, scripts, styles and pictures, which are left out`]),
    ],
  };
  return { description, secrets };
}

interface Entry {
  readonly entry: unknown;
  readonly url: URL;
  readonly number: number;
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

function requestOf({ entry, url, number }: Entry): RecordedRequest {
  const request = plainOf(member(entry, "request"));
  const response = plainOf(member(entry, "response"));
  const status = numberOf(response["status"]) ?? 0;
  const content = plainOf(response["content"]);
  const size = textOf(content["text"]) ?? "";
  const type = (textOf(content["mimeType"]) ?? "").split(";")[0]?.trim() ?? "";
  const isEmpty = size === "" && (numberOf(content["size"]) ?? 0) <= 0;
  return {
    number,
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

/** The words of headers that carry a credential. No value of a header, and none of a URL's user, is kept. */
function credentialsOf(entries: readonly Entry[], secrets: SecretCollector): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { entry, url, number } of entries) {
    if (url.password !== "") secrets.add(number, "password of the URL", url.password);
    for (const side of ["request", "response"] as const)
      for (const [name, value] of pairsOf(member(member(entry, side), "headers"), "name")) {
        if (!isCredentialHeader(name)) continue;
        const place = `${side === "request" ? "" : "response "}header ${memberText([name])}`;
        secrets.add(number, place, `${name.toLowerCase()} ${value}`);
        for (const word of wordsOfCredential(value)) words.add(word);
      }
  }
  return words;
}
