/**
 * Recorded or collected requests as an OpenAPI description with their paths and names. Types, required inputs and
 * responses that only examples show are `not shown`, because an example isn't a statement.
 */
import { normalizedName, singular } from "../../support/alike-names.ts";
import { isPlain, type Plain } from "../openapi/description/values.ts";
import { type FoundSecrets, memberText, type SecretCollector } from "./secret-places.ts";
import { isSecretName, looksGenerated, replacedSecret, withoutSecrets } from "./secrets.ts";

export interface RecordedRequest {
  /** Its number in the file, from 1. */
  readonly number: number;
  readonly method: string;
  /** Segments of the path. A segment in braces is a parameter with that name. */
  readonly segments: readonly string[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly string[];
  readonly body: RecordedBody | undefined;
  readonly summary: string | undefined;
  readonly answers: readonly RecordedAnswer[];
}

export interface RecordedBody {
  readonly type: string;
  /** The top-level keys. Undefined if the body is not an object. */
  readonly keys: readonly (readonly [name: string, value: unknown])[] | undefined;
}

export interface RecordedAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: unknown;
}

export interface RecordedDescription {
  readonly paths: Plain;
  readonly secrets: FoundSecrets;
}

/** What is known of the secrets of a recording. */
interface Known {
  /** Words of headers that carry a credential. */
  readonly credentials: ReadonlySet<string>;
  readonly secrets: SecretCollector;
}

/**
 * @param credentials words of headers that carry a credential
 * @param secrets collects the places of secrets; it may have those of headers
 */
export function describeRequests(
  requests: readonly RecordedRequest[],
  secrets: SecretCollector,
  credentials: ReadonlySet<string> = new Set(),
): RecordedDescription {
  const identifiers = identifiersIn(requests);
  const groups = Map.groupBy(requests, (request) => {
    const path = pathOf(request.segments, identifiers);
    return `${request.method.toLowerCase()} ${path}`;
  });
  const paths = new Map<string, Record<string, unknown>>();
  for (const [key, recorded] of groups) {
    const space = key.indexOf(" ");
    const [method, path] = [key.slice(0, space), key.slice(space + 1)];
    const item = paths.get(path) ?? {};
    item[method] = operationObject(recorded, { credentials, secrets });
    paths.set(path, item);
  }
  return { paths: Object.fromEntries(paths), secrets: secrets.found() };
}

function operationObject(recorded: readonly RecordedRequest[], known: Known): Plain {
  const query = examplesOf(recorded, "query", ({ query: sent }) => sent, known);
  const headers = new Set(recorded.flatMap((request) => request.headers));
  const credentials = [...headers].filter((name) => isSecretName(name));
  const own = [...headers].filter((name) => isOwnHeader(name) && !credentials.includes(name));
  const parameters = [
    ...[...query].map(([name, schema]) => ({ name, in: "query", schema })),
    ...own.map((name) => ({ name, in: "header", schema: notShown })),
  ];
  const bodies = recorded.flatMap(({ body }) => body ?? []);
  const keys = examplesOf(recorded, "body", ({ body }) => body?.keys ?? [], known);
  const schema = { type: "object", properties: Object.fromEntries(keys) };
  const content = bodies.map(({ type }) => [type, keys.size === 0 ? {} : { schema }] as const);
  const answers = recorded.flatMap((request) => request.answers);
  const byStatus = Map.groupBy(answers, ({ status }) => String(status));
  return {
    ...exampleOf(recorded, known),
    summary: recorded.find(({ summary }) => summary !== undefined)?.summary,
    parameters,
    ...(content.length === 0 ? {} : { requestBody: { content: Object.fromEntries(content) } }),
    responses: Object.fromEntries([...byStatus].map(([code, of]) => [code, answerObject(of)])),
    "x-ninefold-seen": [
      ...credentials.map((name) => `a credential in the header ${name}`),
      ...[...byStatus].map(([code, of]) => `seen ${code} (${of.length})${keysText(of)}`),
    ],
  };
}

/**
 * The first successful exchange whose request and response can be read, as an example of the
 * operation. It has no headers, and no secrets.
 */
function exampleOf(recorded: readonly RecordedRequest[], known: Known): Plain {
  for (const { number, answers, body, query } of recorded) {
    const answer = answers.find(({ status }) => status >= 200 && status < 300);
    const isForm = body?.type === "application/x-www-form-urlencoded";
    const isReadable = body === undefined || (body.keys && (isForm || /json/i.test(body.type)));
    if (!answer || !isReadable || (answer.type !== undefined && answer.body === undefined)) continue;
    const shown = (value: unknown, place: string) =>
      withoutSecrets(value, {
        credentials: known.credentials,
        onSecret: (text, path) => known.secrets.add(number, `${place} ${memberText(path)}`.trim(), text),
      });
    return {
      "x-ninefold-example": {
        parameters: query.length === 0 ? {} : { query: shown(Object.fromEntries(query), "query") },
        ...(body?.keys ? { body: shown(Object.fromEntries(body.keys), "body") } : {}),
        ...(isForm ? { type: body.type } : {}),
        status: answer.status,
        ...(answer.body === undefined ? {} : { response: shown(answer.body, "response body") }),
      },
    };
  }
  return {};
}

/** A schema whose type isn't shown. */
const notShown = { type: "not shown" };

/** The first example of each name. A value with a secret at any depth is none. */
function examplesOf(
  recorded: readonly RecordedRequest[],
  place: "query" | "body",
  valuesOf: (request: RecordedRequest) => readonly (readonly [name: string, value: unknown])[],
  { credentials, secrets }: Known,
): ReadonlyMap<string, Plain> {
  const found = new Map<string, Plain>();
  for (const request of recorded)
    for (const [name, value] of valuesOf(request)) {
      let isSecret = false;
      const onSecret = (text: string, path: readonly string[]) => {
        isSecret = true;
        secrets.add(request.number, `${place} ${memberText(path)}`, text);
      };
      // A key that is an identifier or a secret is data, not the name of an input.
      const shown = withoutSecrets({ [name]: value }, { credentials, onSecret });
      if (found.has(name) || name === "" || !isPlain(shown) || !(name in shown)) continue;
      const text = (JSON.stringify(value) ?? "").slice(0, exampleMax);
      found.set(name, { ...notShown, example: isSecret ? replacedSecret : text });
    }
  return found;
}

/** Maximum number of characters of an example. */
const exampleMax = 60;

function answerObject(answers: readonly RecordedAnswer[]): Plain {
  const types = new Set(answers.flatMap(({ type }) => type ?? []));
  return {
    description: "",
    ...(types.size === 0 ? {} : { content: Object.fromEntries([...types].map((type) => [type, {}])) }),
  };
}

/** The keys of responses. Their values are omitted, because they may be personal data. */
function keysText(answers: readonly RecordedAnswer[]): string {
  const keys = new Set(
    answers.flatMap(({ body }) => {
      const sample = Array.isArray(body) ? body[0] : body;
      return typeof sample === "object" && sample !== null ? Object.keys(sample) : [];
    }),
  );
  const names = [...keys].filter((key) => /^[A-Za-z_][\w-]{0,40}$/.test(key) && !looksGenerated(key));
  return names.length === 0 ? "" : ` with ${names.slice(0, 40).join(", ")}`;
}

/** Whether the header belongs to the service, rather than to HTTP or browsers. */
function isOwnHeader(name: string): boolean {
  return (
    /^(x-|idempotency-key$)/i.test(name) && !/^x-(requested-with|forwarded|real-ip|client-data)/i.test(name)
  );
}

// ── Paths ───────────────────────────────────────────────────────────────────────────────────────

const identifierForms = [
  /^\d+$/,
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  /^[0-9a-f]{16,}$/i,
  /^[A-Za-z]{1,12}_[A-Za-z0-9]*\d[A-Za-z0-9]*$/,
];

/** Texts that responses have under the key of an identifier. */
function identifiersIn(requests: readonly RecordedRequest[]): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (value: unknown, key: string, depth: number): void => {
    if (typeof value === "string" && value !== "" && /(^|[a-z_])(id|uuid|sid)$/i.test(key)) found.add(value);
    if (depth > 8 || typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value))
      look(inner, Array.isArray(value) ? key : name, depth + 1);
  };
  for (const { answers } of requests) for (const { body } of answers) look(body, "", 0);
  return found;
}

function pathOf(segments: readonly string[], identifiers: ReadonlySet<string>): string {
  const used = new Set<string>();
  const named = segments.map((segment, index) => {
    const own = /^\{(.*)\}$/.exec(segment)?.[1];
    const isIdentifier =
      identifiers.has(segment) ||
      identifierForms.some((form) => form.test(segment)) ||
      looksGenerated(segment);
    if (own === undefined && !isIdentifier) return segment;
    const word = normalizedName(singular(segments[index - 1] ?? ""));
    const base = (own ?? (word === "" ? "id" : `${word}_id`))
      .replace(/[^A-Za-z0-9_]/g, "_")
      .replace(/^(?=\d)/, "_");
    let name = base;
    for (let n = 2; used.has(name); n++) name = `${base}${n}`;
    used.add(name);
    return `{${name}}`;
  });
  return `/${named.join("/")}`;
}
