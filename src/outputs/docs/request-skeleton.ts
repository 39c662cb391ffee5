/**
 * A request without a scenario: its required values with names as placeholders, and nothing that
 * the document doesn't say.
 */
import { withoutRests } from "../../model/endpoints/path-text.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Operation, SecurityScheme, Wire } from "../wire/wire.ts";
import type { RequestText } from "./request-code.ts";
import { resolved } from "./schema-flat.ts";
import { propertiesOf, requiredOf, withoutNull } from "./schema-words.ts";
import { headerCredential } from "../../model/authentication/credential-text.ts";

/** The placeholder of a credential. */
export const credentialName = "credential";

export function requestSkeleton(wire: Wire, operation: Operation): RequestText {
  const path = withoutRests(wire.basePath + operation.path).replace(/\{([^{}]*)\}/g, (_, name: string) =>
    capture(name),
  );
  const query = [
    ...operation.parameters
      .filter((parameter) => parameter.required && parameter.in === "query")
      .map((parameter) => `${parameter.name}=${constantOf(parameter.schema) ?? capture(parameter.name)}`),
    ...(schemeOf(wire, operation)?.sent.kind === "query" ? [credentialQuery(schemeOf(wire, operation))] : []),
  ];
  return {
    method: operation.method,
    target: `${path}${query.length === 0 ? "" : `?${query.join("&")}`}`,
    headers: [
      ...credentialHeaders(schemeOf(wire, operation)),
      ...operation.parameters
        .filter((parameter) => parameter.required && parameter.in === "header")
        .map((parameter) => ({
          name: parameter.name,
          value: constantOf(parameter.schema) ?? capture(parameter.name),
        })),
      ...(sentAs(operation) === "form" ? [{ name: "Content-Type", value: formType }] : []),
    ],
    ...bodyOf(wire, operation),
  };
}

const formType = "application/x-www-form-urlencoded";

/** JSON comes first among several media types. */
function sentAs({ body }: Operation): "json" | "form" | "multipart" | "raw" | undefined {
  return body?.mediaTypes[0]?.kind;
}

function bodyOf(wire: Wire, operation: Operation): Pick<RequestText, "body"> {
  const { body } = operation;
  const schema = body && resolved(wire, body.orList?.element ?? body.schema);
  const required = schema ? requiredOf(schema) : [];
  const members = schema ? propertiesOf(schema).filter(([name]) => required.includes(name)) : [];
  if (members.length === 0) return {};
  if (sentAs(operation) === "form") {
    return {
      body: members.map(([name, schema]) => `${name}=${constantOf(schema) ?? capture(name)}`).join("&"),
    };
  }
  return {
    body: `{${members.map(([name, schema]) => `${JSON.stringify(name)}: ${memberText(name, schema)}`).join(", ")}}`,
  };
}

function memberText(name: string, schema: JsonSchema): string {
  const jsonSchema = withoutNull(schema);
  if ("const" in jsonSchema) return JSON.stringify(jsonSchema["const"]);
  return jsonSchema["type"] === "string" ? JSON.stringify(capture(name)) : capture(name);
}

function constantOf(schema: JsonSchema): string | undefined {
  return "const" in schema ? String(schema["const"]) : undefined;
}

/** A name as a scenario's capture can have it. */
function capture(name: string): string {
  return `{{${name.replace(/\W+/g, "_").replace(/^(?=\d|$)/, "_")}}}`;
}

/**
 * The request with `{{credential}}` instead of a scenario's own credential, which is valid
 * nowhere else. A credential that a scenario captures stays, because the request that it comes from
 * is shown.
 */
export function withOwnCredential(wire: Wire, { security }: Operation, request: RequestText): RequestText {
  const schemes = wire.security.filter(({ key, signature }) => security.includes(key) && !signature);
  const own = schemes.flatMap(credentialHeaders);
  const replaced = ({ name, value }: RequestText["headers"][number]) =>
    own.find(
      (header) =>
        header.name.toLowerCase() === name.toLowerCase() && prefixOf(header.value) === prefixOf(value),
    );
  const headers = request.headers.map((header) =>
    header.value.includes("{{") ? header : { ...header, value: replaced(header)?.value ?? header.value },
  );
  const target = schemes.reduce(
    (text, { sent }) =>
      sent.kind === "query"
        ? text.replace(new RegExp(`([?&]${escaped(sent.name)}=)[^&{]+`), `$1${capture(credentialName)}`)
        : text,
    request.target,
  );
  return { ...request, target, headers };
}

/** `Bearer` of `Bearer sk_ada`; empty if the value is only the credential. */
function prefixOf(value: string): string {
  return (/^([A-Za-z][\w-]*) /.exec(value)?.[1] ?? "").toLowerCase();
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, "\\$&");
}

function schemeOf(wire: Wire, { anonymous, security }: Operation): SecurityScheme | undefined {
  return anonymous
    ? undefined
    : wire.security.find((securityScheme) => security.includes(securityScheme.key));
}

function credentialQuery(scheme: SecurityScheme | undefined): string {
  return scheme?.sent.kind === "query" ? `${scheme.sent.name}={{credential}}` : "";
}

function credentialHeaders(scheme: SecurityScheme | undefined): RequestText["headers"] {
  switch (scheme?.sent.kind) {
    case "bearer":
      return [{ name: "Authorization", value: "Bearer {{credential}}" }];
    case "basic":
      return [{ name: "Authorization", value: "Basic {{credential}}" }];
    case "cookie":
      return [{ name: "Cookie", value: `${scheme.sent.name}={{credential}}` }];
    case "header":
      return [{ name: scheme.sent.name, value: headerCredential(scheme.sent, "{{credential}}") }];
    default:
      return [];
  }
}
