/** A scenario's request as the call of a client's function that would send it; undefined where no caller of the client could. */
import type { ClientFunction, ClientPlan } from "../../src/outputs/client/client-plan.ts";
import { operationOf, pathOfTarget } from "../../src/outputs/wire/examples.ts";
import type { Parameter, SecurityScheme, Wire } from "../../src/outputs/wire/wire.ts";
import { type FormValue, formOf } from "../exports/form-values.ts";
import type { SentRequest } from "../../src/verify/scenario-failure.ts";

/** Plain data: a browser receives the same. */
export interface ClientCall {
  readonly name: string;
  readonly credentials: Readonly<Record<string, unknown>>;
  /** All arguments between the client and the options. */
  readonly values: readonly unknown[];
  readonly options: { readonly headers: Readonly<Record<string, string>>; readonly idempotencyKey?: string };
  readonly streams: boolean;
}

export function requestAsCall({ wire, modules }: ClientPlan, request: SentRequest): ClientCall | undefined {
  const segments = pathOfTarget(request.target);
  const operation = segments && operationOf(wire.operations, wire.basePath, request.method, segments);
  const called = modules
    .flatMap((clientFunction) => clientFunction.functions)
    .find((clientFunction) => clientFunction.operation === operation);
  if (!segments || !called) return undefined;
  const body = bodyOf(called, request);
  if (body === "none of the client's") return undefined;
  const { credentials, headers, key } = headersOf(wire, called, request);
  const [, search = ""] = request.target.split("?", 2);
  const query = queryOf(wire, called, search);
  if (!query) return undefined;
  return {
    name: called.name,
    credentials,
    values: [
      ...pathValues(wire.basePath + called.operation.path, segments),
      ...(called.operation.body ? [body] : []),
      ...(called.query.length > 0 ? [query] : []),
    ],
    options: { headers, ...(key === undefined ? {} : { idempotencyKey: key }) },
    streams: called.kind === "stream",
  };
}

function pathValues(template: string, segments: readonly string[]): readonly string[] {
  const parts = template.split("/").filter((part) => part !== "");
  return parts.flatMap((part, at) => {
    const [, before, behind] = /^([^{]*)\{[^}]*\}(.*)$/.exec(part) ?? [];
    if (before === undefined || behind === undefined) return [];
    const segment = segments[at] as string;
    return [decodeURIComponent(segment.slice(before.length, segment.length - behind.length))];
  });
}

/** Undefined where something stands in it that the document doesn't know. */
function queryOf(wire: Wire, { query }: ClientFunction, search: string): Record<string, unknown> | undefined {
  const wanted = wire.version?.requested;
  const values: Record<string, unknown> = {};
  const pairs = [...new URLSearchParams(search)].filter(
    ([name]) => wanted?.in !== "query" || name !== wanted.name,
  );
  for (const [name, text] of pairs) {
    const entry = query.find(({ parameter }) => isOf(parameter, name));
    if (!entry) return undefined;
    values[entry.name] = readValue(entry.parameter, name, text, pairs);
  }
  return values;
}

function isOf({ name, style }: Parameter, sent: string): boolean {
  if (sent === name) return true;
  if (style === "repeated") return sent.replace(/\[\d*\]$/, "") === name.replace("[]", "");
  return style === "object" && /^[[.]/.test(sent.slice(name.length)) && sent.startsWith(name);
}

function readValue(
  parameter: Parameter,
  sent: string,
  text: string,
  pairs: readonly (readonly [string, string])[],
): unknown {
  switch (parameter.style) {
    case "repeated":
      return pairs.filter(([name]) => isOf(parameter, name)).map(([, value]) => value);
    case "separated":
      return text.split(parameter.separator ?? ",");
    case "json":
      return jsonOr(text);
    case "object": {
      if (sent === parameter.name) return text;
      const own = pairs.filter(([name]) => isOf(parameter, name));
      const brackets = own.map(([name, value]) => [name.replace(/\.(\w+)/g, "[$1]"), value]);
      const form = formOf(new URLSearchParams(brackets as [string, string][]).toString());
      return (form as Record<string, FormValue>)[parameter.name];
    }
    default:
      return text;
  }
}

function bodyOf({ operation: { body } }: ClientFunction, request: SentRequest): unknown {
  const isEmpty = request.body === undefined || request.body === "";
  if (!body) return isEmpty ? undefined : "none of the client's";
  if (isEmpty) return body.required ? "none of the client's" : undefined;
  const type = typeOf(request);
  if (isOfAnotherKind(request)) return "none of the client's";
  try {
    if (/\bjson\b/i.test(type)) return JSON.parse(request.body as string);
  } catch {
    return "none of the client's";
  }
  return /urlencoded/i.test(type)
    ? formValues(request.body as string, body.jsonInForms)
    : "none of the client's";
}

function typeOf({ headers }: SentRequest): string {
  return headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
}

/** Files, and bodies that say more of themselves than that they are JSON, are sent by no function of the client. */
export function isOfAnotherKind(request: SentRequest): boolean {
  return /^multipart\b|;\s*(?!charset\b)\S/i.test(typeOf(request));
}

function formValues(text: string, json: readonly string[]): unknown {
  const form = formOf(text) as Record<string, FormValue>;
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => [
      name,
      json.includes(name) && typeof value === "string" ? jsonOr(value) : value,
    ]),
  );
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function headersOf(
  wire: Wire,
  { operation }: ClientFunction,
  request: SentRequest,
): {
  readonly credentials: Record<string, unknown>;
  readonly headers: Record<string, string>;
  readonly key?: string;
} {
  const credentials: Record<string, unknown> = {};
  const headers: Record<string, string> = {};
  let key: string | undefined;
  const { idempotency } = operation.endpoint;
  const wanted = wire.version?.requested;
  const versionHeader = wanted?.in === "header" ? wanted.name.toLowerCase() : undefined;
  for (const [name, value] of request.headers) {
    const scheme = wire.security.find(
      (securityScheme) => credentialIn(securityScheme, name, value) !== undefined,
    );
    if (scheme) credentials[scheme.key] = credentialIn(scheme, name, value);
    else if (idempotency?.in === "header" && name.toLowerCase() === idempotency.name.toLowerCase())
      key = value;
    // The client says by itself which version it speaks, and what a body is.
    else if (!["content-type", versionHeader].includes(name.toLowerCase())) headers[name] = value;
  }
  return { credentials, headers, ...(key === undefined ? {} : { key }) };
}

function credentialIn({ sent }: SecurityScheme, name: string, value: string): unknown {
  const place = sent.kind === "header" ? sent.name : "authorization";
  if (sent.kind === "query" || sent.kind === "cookie" || name.toLowerCase() !== place.toLowerCase())
    return undefined;
  const prefix = sent.kind === "header" ? (sent.prefixes[0] ?? "") : sent.kind;
  if (!value.toLowerCase().startsWith(prefix.toLowerCase())) return undefined;
  const credential = value.slice(prefix.length).trim();
  if (sent.kind !== "basic") return credential;
  const [user = "", password = ""] = Buffer.from(credential, "base64").toString().split(/:(.*)/s);
  return { user, password };
}
