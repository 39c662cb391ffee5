/**
 * `ninefold serve FILE --proxy URL --record FILE.har`: forwards requests, and records them without
 * their secrets.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { type Mask, planMasking, secretsIn } from "../../../engine/secrets/masking.ts";
import { mask as maskText, maskJson, maskTexts, type Replace } from "../../../engine/secrets/mask-text.ts";
import { isSecretName } from "../../../engine/secrets/secret-places.ts";
import {
  type PassedExchange,
  type RecordingProxy,
  startRecordingProxy,
} from "../../../verify/recording-proxy.ts";
import { messageOf } from "../../../support/failure.ts";
import { memberText, SecretCollector } from "../../../inputs/recordings/secret-places.ts";
import { secretLines } from "../../import/secret-lines.ts";
import { CliError, exitCodes, WrongUsage } from "../../command.ts";
import { loadModel } from "../../open-service.ts";
import { type Terminal, warn } from "../../terminal.ts";
import { ownVersion } from "../../version.ts";
import { listenForStop } from "../signals/stop-signal.ts";

export interface ProxyOptions {
  readonly file: string;
  readonly upstream: URL;
  readonly recording: string;
  readonly host: string;
  readonly port: number;
}

/** Larger bodies are forwarded, and recorded without their text. */
const bodyBytesMax = 1024 * 1024;

/** Undefined without `--proxy`. @throws WrongUsage */
export function readRecordFlags({
  proxy,
  record,
}: {
  readonly proxy?: string | undefined;
  readonly record?: string | undefined;
}): { readonly upstream: URL; readonly recording: string } | undefined {
  if (proxy === undefined && record === undefined) return undefined;
  if (proxy === undefined || record === undefined)
    throw new WrongUsage(
      "--proxy and --record belong together: --proxy https://api.example.com --record traffic.har.",
    );
  const upstream = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (!upstream || !/^https?:$/.test(upstream.protocol) || upstream.search !== "" || upstream.hash !== "")
    throw new WrongUsage(`--proxy takes a URL such as https://api.example.com, not "${proxy}".`);
  if (upstream.username !== "" || upstream.password !== "")
    throw new WrongUsage("--proxy takes a URL without credentials. Clients send theirs with each request.");
  return { upstream, recording: record };
}

/**
 * Runs until it is stopped. The document, and the names of fields and headers, determine what is
 * secret.
 */
export async function recordProxy(options: ProxyOptions, terminal: Terminal): Promise<number> {
  const { file, upstream, recording, host, port } = options;
  const { model } = await loadModel(file, terminal);
  const mask = planMasking(model).of(null);
  const stop = listenForStop();
  const har = openRecording(recording);
  const secrets = new SecretCollector();
  let count = 0;
  let proxy: RecordingProxy | undefined;
  try {
    proxy = await openProxy({
      upstream,
      host,
      port,
      bodyBytesMax,
      onPassed(exchange) {
        count += 1;
        har.add(entryOf(exchange, mask, count, secrets));
      },
      onFailed: (message) => warn(terminal, `${message}\n`),
    });
    if (!terminal.isQuiet)
      terminal.write(
        `Requests to http://${host}:${proxy.port} are passed on to ${upstream.href}, and recorded in ${recording}.\nCtrl-C stops it. Then: ninefold learn ${file} --har ${recording}\n`,
      );
    await stop.requested;
    if (!terminal.isQuiet)
      terminal.write(
        `${count} ${count === 1 ? "request" : "requests"} recorded\n${secretLines(secrets.found(), "replaced")}`,
      );
    return exitCodes.ok;
  } finally {
    await proxy?.close();
    har.close();
    stop.forget();
  }
}

/** @throws CliError */
async function openProxy(options: Parameters<typeof startRecordingProxy>[0]): Promise<RecordingProxy> {
  try {
    return await startRecordingProxy(options);
  } catch (error) {
    throw new CliError(
      `Port ${options.port} can't be used: ${messageOf(error)}. Name another one with --port.`,
    );
  }
}

/** A HAR file that is complete after each entry. @throws CliError */
function openRecording(path: string): { add(entry: object): void; close(): void } {
  const creator = { name: "Ninefold", version: ownVersion() };
  const head = `{"log": {"version": "1.2", "creator": ${JSON.stringify(creator)}, "entries": [\n`;
  const tail = "\n]}}\n";
  let descriptor: number;
  try {
    // An existing recording is not overwritten.
    descriptor = openSync(path, "wx", 0o600);
  } catch (error) {
    throw new CliError(`${path} can't be written: ${messageOf(error)}.`);
  }
  let at = writeSync(descriptor, head, 0);
  writeSync(descriptor, tail, at);
  let isFirst = true;
  return {
    add(entry) {
      const text = `${isFirst ? "" : ",\n"}${JSON.stringify(entry)}`;
      isFirst = false;
      writeSync(descriptor, text + tail, at);
      at += Buffer.byteLength(text);
    },
    close: () => closeSync(descriptor),
  };
}

/** Masks secrets, and collects their places. */
function replacer(found: SecretCollector, number: number, placeOf: (name: string) => string): Replace {
  return (name, secret) => {
    // What was masked before is not masked again.
    if (secret !== maskText) found.add(number, memberText([placeOf(name)]), secret);
    return maskText;
  };
}

/** An entry without secrets, whose places are collected. */
function entryOf(exchange: PassedExchange, mask: Mask, number: number, found: SecretCollector): object {
  const { startedAtMs, tookMs, method, url, requestHeaders, requestBody, status } = exchange;
  const replaceAt = (placeOf: (name: string) => string) => replacer(found, number, placeOf);
  const inTarget = replaceAt((name) => `${url.searchParams.has(name) ? "query" : "path"} ${name}`);
  const inBody = replaceAt((name) => `body ${name}`);
  const inAnswer = replaceAt((name) => `response body ${name}`);
  const target = mask.target(`${url.pathname}${url.search}`, inTarget);
  const sentType = typeOf(requestHeaders);
  const sent = textOf(requestBody, sentType);
  const type = typeOf(exchange.responseHeaders);
  const received = textOf(exchange.responseBody, type);
  const shown = new URL(target, url);
  // A response may repeat secrets of the request.
  const secrets = secretsIn(mask, { target: url.href, headers: requestHeaders, body: sent ?? null });
  const clean = (text: string): string => maskTexts(text, secrets);
  const cleanAnswer = (text: string): string => {
    const own = mask.answerBody(maskJson(text, isSecretName, inAnswer), inAnswer);
    const cleaned = clean(own);
    for (const secret of cleaned === own ? [] : secrets)
      if (clean(secret) !== secret && own.includes(secret))
        found.add(number, "response body, repeated from the request", secret);
    return cleaned;
  };
  const pairsWithout = (place: string, lines: Lines, masked: Lines): readonly object[] => {
    for (const [index, [name, value]] of lines.entries())
      if (masked[index]?.[1] !== value) found.add(number, `${place} ${memberText([name])}`, value);
    return namedPairs(masked);
  };
  const { responseHeaders } = exchange;
  const answerHeaders = mask
    .answerHeaders(responseHeaders)
    .map(([name, value]) => [name, clean(value)] as const);
  const postDataOf = (text: string) => ({
    mimeType: sentType,
    text: mask.body(maskJson(text, isSecretName, inBody), sentType, inBody),
  });
  return {
    startedDateTime: new Date(startedAtMs).toISOString(),
    time: tookMs,
    request: {
      method,
      url: shown.href,
      httpVersion: "HTTP/1.1",
      headers: pairsWithout("header", requestHeaders, mask.headers(requestHeaders)),
      queryString: namedPairs([...shown.searchParams]),
      cookies: [],
      ...(sent ? { postData: postDataOf(sent) } : {}),
      headersSize: -1,
      bodySize: requestBody?.byteLength ?? -1,
    },
    response: {
      status,
      statusText: "",
      httpVersion: "HTTP/1.1",
      headers: pairsWithout("response header", responseHeaders, answerHeaders),
      cookies: [],
      content: {
        size: exchange.responseBody?.byteLength ?? -1,
        mimeType: type,
        ...(received === undefined ? {} : { text: cleanAnswer(received) }),
      },
      redirectURL: "",
      headersSize: -1,
      bodySize: exchange.responseBody?.byteLength ?? -1,
    },
    cache: {},
    timings: { send: 0, wait: tookMs, receive: 0 },
  };
}

type Lines = readonly (readonly [string, string])[];

function namedPairs(pairs: readonly (readonly [string, string])[]): readonly object[] {
  return pairs.map(([name, value]) => ({ name, value }));
}

function typeOf(headers: PassedExchange["requestHeaders"]): string {
  return headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
}

/** Undefined for a body that isn't text or is too large. */
function textOf(body: Buffer | undefined, type: string): string | undefined {
  const isText = type === "" || /json|text|xml|x-www-form-urlencoded|javascript/i.test(type);
  return isText ? body?.toString("utf8") : undefined;
}
