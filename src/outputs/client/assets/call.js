/** One call of an operation: builds the request, retries it, and returns or throws the result. */
import { refusalOf, secondsToWait } from "./api-error.js";
import { formOf, pairsOf, pathOf, styledText } from "./encode.js";

/**
 * Longest `Retry-After` that the client waits for, in seconds; a longer one is thrown to the
 * caller.
 */
const longestWaitSeconds = 60;
const firstPauseMs = 500;

/** @param api the data that all operations of the service share */
export function open(api, options) {
  return {
    api,
    retries: 2,
    fetch: (...request) => globalThis.fetch(...request),
    random: Math.random,
    sleep: pause,
    credentials: {},
    ...options,
    url: String(options.url).replace(/\/+$/, ""),
  };
}

/** @param sent the path's values, the body, and the query under the caller's names */
export async function call(client, operation, sent, options) {
  return (await exchange(client, operation, sent, options)).value;
}

/**
 * @param sent.pairs further query parameters, which replace those of the same name
 * @returns the response, with its body in `value`; the body of a stream is left unread
 */
export async function exchange(client, operation, sent, options = {}) {
  // A stream stays open as long as the caller reads it, so it has no timeout.
  const signal = operation.streams ? options.signal : signalOf(options, client);
  const request = requestOf(client, operation, sent, options);
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    const { answer, value, failure } = await attempted(client, operation, request, signal);
    if (answer && (answer.ok || operation.takes?.includes(answer.status))) return { answer, value };
    const seconds = answer && secondsToWait(answer.headers);
    const again =
      attempt < client.retries &&
      (seconds ?? 0) <= longestWaitSeconds &&
      // A request that was refused for its rate had no effect. Any other failure is retried only if
      // the request is safe to repeat.
      (answer ? answer.status === 429 || (answer.status === 503 && request.repeatable) : request.repeatable);
    if (!again) throw failure ?? refusalOf(client.api, operation, answer, value);
    await client.sleep(seconds === undefined ? pauseMs(client, attempt) : seconds * 1000, signal);
  }
}

async function attempted(client, operation, { url, init, pairs }, signal) {
  try {
    const headers = new Headers(init.headers);
    const query = new URLSearchParams(pairs);
    await sign(client, operation, headers, query);
    const answer = await client.fetch(url + (query.size > 0 ? `?${query}` : ""), {
      ...init,
      headers,
      signal,
    });
    return { answer, value: operation.streams && answer.ok ? undefined : await bodyOf(answer) };
  } catch (failure) {
    // An abort by the caller is not a network failure.
    signal?.throwIfAborted();
    return { failure };
  }
}

function requestOf(client, operation, { path = [], body, query, pairs = [] }, options) {
  const { api } = client;
  const { method, send } = operation;
  const headers = new Headers(api.headers);
  for (const [name, value] of Object.entries(options.headers ?? {}))
    if (value !== undefined) headers.set(name, styledText(value, operation.headers?.[name]));
  if (operation.streams) headers.set("Accept", "text/event-stream");
  const key = keyOf(operation, body, headers, options);
  const init = { method, headers };
  if (send && key.body !== undefined) {
    // For multipart bodies, `fetch` sets the boundary.
    if (!headers.has("Content-Type") && send.as !== "multipart") headers.set("Content-Type", send.type);
    init.body =
      send.as === "json"
        ? JSON.stringify(key.body)
        : send.as === "form"
          ? formOf(key.body, send.json)
          : key.body;
  }
  const own = new Set(pairs.map(([name]) => name));
  return {
    url: client.url + pathOf(api.base + operation.path, path),
    init,
    pairs: [
      ...Object.entries(api.query ?? {}),
      ...pairsOf(query, operation.query).filter(([name]) => !own.has(name)),
      ...pairs,
    ],
    repeatable: ["GET", "HEAD", "PUT", "DELETE", "QUERY"].includes(method) || key.is,
  };
}

/** One idempotency key for a call, shared by all its attempts. */
function keyOf({ key }, body, headers, { idempotencyKey }) {
  if (key === undefined) return { body, is: false };
  if (key.header !== undefined) {
    if (idempotencyKey !== undefined || !headers.has(key.header))
      headers.set(key.header, idempotencyKey ?? crypto.randomUUID());
    return { body, is: true };
  }
  return { body: withKey(body ?? {}, key.body, idempotencyKey), is: true };
}

function withKey(body, [name, ...inner], requested) {
  const own = body[name];
  const value =
    inner.length > 0 ? withKey(own ?? {}, inner, requested) : (requested ?? own ?? crypto.randomUUID());
  return { ...body, [name]: value };
}

/** Signs with the first of the operation's schemes for which the client has a credential. */
async function sign({ api, credentials }, { security }, headers, query) {
  const name = (security ?? Object.keys(api.schemes)).find((scheme) => credentials[scheme] !== undefined);
  if (name === undefined) return;
  const given = credentials[name];
  const credential = typeof given === "function" ? await given() : given;
  const { kind, at, prefix, suffix = "", formEncoded } = api.schemes[name];
  if (kind === "query") query.set(at, credential);
  else if (kind === "cookie") headers.append("Cookie", `${at}=${credential}`);
  else if (!headers.has(at))
    headers.set(at, prefix + (kind === "basic" ? basicText(credential, formEncoded) : credential) + suffix);
}

function basicText(credential, formEncoded) {
  const { user = "", password = "" } = typeof credential === "string" ? { user: credential } : credential;
  const written = (text) => (formEncoded ? new URLSearchParams({ "": text }).toString().slice(1) : text);
  const bytes = new TextEncoder().encode(`${written(user)}:${written(password)}`);
  return btoa(String.fromCharCode(...bytes));
}

async function bodyOf(answer) {
  const text = await answer.text();
  const isJson = /\bjson\b/i.test(answer.headers.get("content-type") ?? "");
  if (!isJson) return text === "" ? undefined : text;
  try {
    return JSON.parse(text);
  } catch {
    // A response to HEAD, or a response of a proxy.
    return text === "" ? undefined : text;
  }
}

function signalOf({ signal, timeoutMs }, client) {
  const longestMs = timeoutMs ?? client.timeoutMs;
  if (longestMs === undefined) return signal;
  const timer = AbortSignal.timeout(longestMs);
  return signal ? AbortSignal.any([signal, timer]) : timer;
}

/**
 * Retry backoff: a random pause between half and the whole of a doubling time, so that clients that
 * were disconnected together don't return together.
 */
export function pauseMs({ random }, attempt, first = firstPauseMs, most = 30_000) {
  return Math.min(most, first * 2 ** attempt) * (0.5 + random() / 2);
}

/** @throws the reason of the signal */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
