/** `index.js`: all exports of the package, and `connect` with what all operations share. */
import { memberKey, typeOf, unionOf } from "../typescript/schema-type.ts";
import type { SecurityScheme, Wire } from "../wire/wire.ts";
import type { ClientPlan } from "./client-plan.ts";
import { type CodeValue, codeText } from "./code-text.ts";
import { aroundCredential } from "../../model/authentication/credential-text.ts";

export function indexCode(wire: Wire, { modules }: ClientPlan): string {
  return [
    `import { open } from "./runtime/index.js";`,
    "",
    `export { ApiError, DeadEnd, NotGenuine, WaitedInVain } from "./runtime/index.js";`,
    ...(isVerified(wire) ? [`export { verify as verifyWebhook } from "./runtime/index.js";`] : []),
    `export * from "./errors.js";`,
    ...modules.map(({ name }) => `export * from "./${name}.js";`),
    "",
    "export function connect(options) {",
    `  return open(${codeText(apiOf(wire), "  ")}, options);`,
    "}\n",
  ].join("\n");
}

export function indexTypes(wire: Wire, { modules }: ClientPlan): string {
  return [
    `import type { Client, ConnectOptions${isVerified(wire) ? ", VerifyOptions, WebhookHeaders" : ""} } from "./runtime/index.js";`,
    ...(isVerified(wire) ? [`import type * as Types from "./types.js";`] : []),
    "",
    `export { ApiError, DeadEnd, NotGenuine, WaitedInVain } from "./runtime/index.js";`,
    `export type { CallOptions, Client, ConnectOptions, List, WaitOptions } from "./runtime/index.js";`,
    `export type * as Types from "./types.js";`,
    `export * from "./errors.js";`,
    ...modules.map(({ name }) => `export * from "./${name}.js";`),
    "",
    ...(isVerified(wire) ? [verifyTypes(wire)] : []),
    "/** Creates the client for all calls. Sends no request. */",
    `export declare function connect(options: ConnectOptions<${credentialsType(wire.security)}>): Client;\n`,
  ].join("\n");
}

/** Whether deliveries are signed as in Standard Webhooks, so that the package includes `verify`. */
export function isVerified({ webhooks }: Wire): boolean {
  return webhooks?.isSigned === true;
}

function verifyTypes({ events }: Wire): string {
  const payloads = events
    .filter((event) => event.toWebhooks)
    .map((event) => typeOf(event.schema, (schema) => `Types.${schema}`));
  return [
    "/** The event of a delivery. */",
    `export type WebhookEvent = ${unionOf(payloads)};\n`,
    "/**",
    " * Verifies a delivery, and returns its event (Standard Webhooks).",
    " * @param body exactly as received, before any parsing",
    " * @param secret one, or several during a rotation",
    " * @throws NotGenuine",
    " */",
    "export declare function verifyWebhook(",
    "  headers: WebhookHeaders,",
    "  body: string | Uint8Array,",
    "  secret: string | readonly string[],",
    "  options?: VerifyOptions,",
    "): Promise<WebhookEvent>;\n",
  ].join("\n");
}

function apiOf({ basePath, version, security, anyError }: Wire): CodeValue {
  const requested = version?.requested;
  const accept =
    requested?.in === "media type" ? { Accept: `application/json; version=${requested.name}` } : undefined;
  return {
    base: basePath,
    headers: requested?.in === "header" ? { [requested.name]: requested.value } : accept,
    query: requested?.in === "query" ? { [requested.name]: requested.value } : undefined,
    schemes: Object.fromEntries(
      security.map((securityScheme) => [securityScheme.key, schemeOf(securityScheme)]),
    ),
    shown: { ...anyError.shownAt },
  };
}

function schemeOf({ sent }: SecurityScheme): CodeValue {
  switch (sent.kind) {
    case "bearer":
      return { kind: "header", at: "Authorization", prefix: "Bearer " };
    case "basic":
      return {
        kind: "basic",
        at: "Authorization",
        prefix: "Basic ",
        ...(sent.formEncoded ? { formEncoded: true } : {}),
      };
    case "header": {
      const { before, behind } = aroundCredential(sent);
      return { kind: "header", at: sent.name, prefix: before, ...(behind === "" ? {} : { suffix: behind }) };
    }
    default:
      return { kind: sent.kind, at: sent.name };
  }
}

function credentialsType(schemes: readonly SecurityScheme[]): string {
  if (schemes.length === 0) return "Record<never, never>";
  return `{ ${schemes.map(({ key, sent }) => `${memberKey(key)}?: ${credentialType(sent)}`).join("; ")} }`;
}

function credentialType(sent: SecurityScheme["sent"]): string {
  if (sent.kind !== "basic") return "string";
  return `{ ${sent.parts.map((part) => `${part}: string`).join("; ")} }`;
}
