/** HAR as a list of requests with their responses, whose values can be compared. */
import { openFiles, ImportRefused } from "../openapi/description/files.ts";
import { listOf, member, numberOf, textOf } from "../openapi/description/values.ts";
import { bodyKeys, jsonOf, pairsOf } from "./parts.ts";
import { type FoundSecrets, memberText, SecretCollector } from "./secret-places.ts";
import { isCredentialHeader, wordsOfCredential, withoutSecrets } from "./secrets.ts";

/** An entry of a recording. */
export interface RecordedEntry {
  /** Number of the entry in the recording, from 1. */
  readonly number: number;
  /** Origin of the server. Different servers have different records. */
  readonly origin: string;
  readonly method: string;
  /** Path and query of the request. */
  readonly target: string;
  /** Header names in lower case. */
  readonly sentHeaders: ReadonlyMap<string, string>;
  readonly receivedHeaders: ReadonlyMap<string, string>;
  /** Bodies in JSON or of a form. Undefined without one. */
  readonly sent: unknown;
  readonly received: unknown;
  readonly isEmpty: boolean;
  readonly status: number;
  /** In milliseconds since 1970: the server's clock, if it sent its time. */
  readonly at: number;
  readonly tookMs: number;
}

/** Maximum number of entries of a recording. */
const entriesMax = 100_000;

/**
 * The entries of a HAR file in their order.
 * @throws ImportRefused
 */
export function recordedEntries(name: string, text: string): readonly RecordedEntry[] {
  const { first } = openFiles(name, text, () => undefined);
  const entries = member(member(first, "log"), "entries");
  if (!Array.isArray(entries))
    throw new ImportRefused(`${name}: this is not a HAR recording: a list \`log.entries\` is missing.`);
  if (entries.length > entriesMax)
    throw new ImportRefused(
      `${name}: the recording has ${entries.length} entries; at most ${entriesMax} are read. Split it.`,
    );
  return listOf(entries).flatMap((entry, index) => entryOf(entry, index + 1) ?? []);
}

function entryOf(entry: unknown, number: number): RecordedEntry | undefined {
  const [request, response] = [member(entry, "request"), member(entry, "response")];
  const url = URL.parse(textOf(member(request, "url")) ?? "");
  const status = numberOf(member(response, "status")) ?? 0;
  if (!url || status < 100 || status > 599) return undefined;
  const received = textOf(member(member(response, "content"), "text")) ?? "";
  const receivedHeaders = headersOf(response);
  const started = Date.parse(textOf(member(entry, "startedDateTime")) ?? "");
  const served = Date.parse(receivedHeaders.get("date") ?? "");
  return {
    number,
    origin: url.origin,
    method: textOf(member(request, "method")) ?? "GET",
    target: url.pathname + url.search,
    sentHeaders: headersOf(request),
    receivedHeaders,
    sent: bodyOf(member(request, "postData")),
    received: jsonOf(received),
    isEmpty: received === "" && (numberOf(member(member(response, "content"), "size")) ?? 0) <= 0,
    status,
    at: Number.isNaN(served) ? started : served,
    tookMs: Math.max(0, numberOf(member(entry, "time")) ?? 0),
  };
}

function headersOf(side: unknown): ReadonlyMap<string, string> {
  const pairs = pairsOf(member(side, "headers"), "name");
  return new Map(pairs.map(([name, value]) => [name.toLowerCase(), value]));
}

function bodyOf(postData: unknown): unknown {
  const type = (textOf(member(postData, "mimeType")) ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const text = textOf(member(postData, "text")) ?? "";
  const pairs = pairsOf(member(postData, "params"), "name");
  const keys = pairs.length > 0 ? pairs : bodyKeys(type, text);
  return keys === undefined ? jsonOf(text) : Object.fromEntries(keys);
}

/** The places of secrets in all entries: credentials of headers, and values of queries and bodies. */
export function secretsOfEntries(entries: readonly RecordedEntry[]): FoundSecrets {
  const secrets = new SecretCollector();
  const credentials = new Set<string>();
  for (const { number, sentHeaders, receivedHeaders } of entries)
    for (const [side, headers] of [
      ["header", sentHeaders],
      ["response header", receivedHeaders],
    ] as const)
      for (const [name, value] of headers) {
        if (!isCredentialHeader(name)) continue;
        secrets.add(number, `${side} ${memberText([name])}`, `${name} ${value}`);
        for (const word of wordsOfCredential(value)) credentials.add(word);
      }
  for (const { number, target, sent, received } of entries) {
    const query = Object.fromEntries(new URLSearchParams(target.split(/\?(.*)/s)[1] ?? ""));
    for (const [place, value] of Object.entries({ query, body: sent, "response body": received }))
      withoutSecrets(value, {
        credentials,
        onSecret: (text, path) => secrets.add(number, `${place} ${memberText(path)}`.trim(), text),
      });
  }
  return secrets.found();
}
