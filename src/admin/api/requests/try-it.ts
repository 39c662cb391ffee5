/**
 * Try it: describes the input of each endpoint, and sends a request as a client would. The console
 * never receives a stored secret.
 */
import { type Static, Type } from "typebox";
import type { AdminSpace } from "../../context.ts";
import { sandboxLimits } from "../../../engine/sandbox/limits.ts";
import type { Model, Version } from "../../../model/model.ts";
import {
  currentVersion,
  type VersionPlace,
  versionPlace,
  withVersion,
} from "../../../model/versions/request-version.ts";
import { plainCredential } from "../../overview/first-request.ts";
import { createSource, lineText } from "../../../source/source.ts";
import { canSign, credentialOf, type PlacedCredential } from "../../try-it/credentials.ts";
import { type CurlRequest, tryItCurl, withVariable } from "../../try-it/as-curl.ts";
import { multipartBody } from "../../try-it/multipart-body.ts";
import { sendTryIt } from "../../try-it/send.ts";
import { endpointForms } from "../../try-it/endpoint-forms.ts";
import { reasonSentence } from "../../requests/serialize-request.ts";
import { badRequest } from "../routing/refusal.ts";
import { fields, nullable, route } from "../routing/route.ts";
import { engineDefaults } from "../../../engine/defaults.ts";
import { endpointFormSchema } from "../../try-it/form-schema.ts";

const scheme = fields({
  name: Type.String(),
  parts: Type.Array(Type.String(), { description: "the names of the values to enter" }),
  signs: nullable(Type.String({ description: "the resource for whose records the service can sign tokens" })),
  known: nullable(Type.Array(Type.String(), { description: "a credential that the seed has in plain text" })),
});

const tryItFormsSchema = fields({
  endpoints: Type.Array(endpointFormSchema),
  schemes: Type.Array(scheme),
  version: nullable(
    fields({
      name: Type.String({ description: "the version of these forms, which their requests name" }),
      versions: Type.Array(Type.String(), { description: "all served versions" }),
      sent: nullable(Type.String({ description: "how a request names it: `Parcel-Version: 2026-11-01`" })),
    }),
  ),
});
export type TryItFormsResponse = Static<typeof tryItFormsSchema>;

const headerLine = fields({ name: Type.String(), value: Type.String() });

const tryItSchema = fields({
  id: nullable(Type.String()),
  status: Type.Integer(),
  took_ms: nullable(Type.Number()),
  headers: Type.Array(headerLine),
  body: nullable(Type.String({ description: "null if it is not text" })),
  cut: Type.Boolean(),
  because: nullable(fields({ line: Type.Integer(), text: Type.String() })),
  why: nullable(Type.String({ description: "why it was rejected, as one sentence" })),
  blamed: Type.Array(fields({ field: Type.String(), message: Type.String() })),
});

const curlSchema = fields({ curl: Type.String() });
export type TryItCurlResponse = Static<typeof curlSchema>;

export type TryItResponse = Static<typeof tryItSchema>;

const text = Type.String({ maxLength: 65_536 });

const part = fields({
  name: text,
  value: Type.Optional(text),
  file: Type.Optional(
    fields({
      name: Type.String({ maxLength: 255 }),
      type: Type.String({ maxLength: 255 }),
      content: Type.String({ description: "in base64" }),
    }),
  ),
});

/** The request of a form. */
const tryItRequestSchema = fields({
  method: Type.String({ pattern: "^[A-Z]{1,10}$" }),
  path: Type.String({ pattern: "^/", maxLength: engineDefaults.urlBytesMax }),
  query: Type.Optional(Type.Array(fields({ name: text, value: text }))),
  headers: Type.Optional(Type.Array(headerLine)),
  version: Type.Optional(
    Type.String({ maxLength: 200, description: "named in the request, unless a header does" }),
  ),
  body: Type.Optional(text),
  parts: Type.Optional(
    Type.Array(part, { maxItems: 100, description: "of `multipart/form-data`, in place of a body" }),
  ),
  caller: Type.Optional(
    fields({
      scheme: Type.String(),
      record: Type.Optional(Type.String({ maxLength: 300 })),
      texts: Type.Optional(Type.Array(text)),
    }),
  ),
});

export const tryItRoutes = [
  route({
    method: "GET",
    path: "/api/trial",
    does: "the inputs of each endpoint in a version, and its schemes",
    query: fields({
      version: Type.Optional(Type.String({ maxLength: 200, description: "default: the current one" })),
    }),
    answer: tryItFormsSchema,
    async run(call) {
      const { model } = (await call.space()).service;
      const version = versionNamed(model, call.query.version ?? currentVersion(model.versioning));
      return {
        endpoints: endpointForms(model, version),
        version: version ? toVersionResponse(model, version) : null,
        schemes: model.authentication.schemes
          .filter(({ placement, credentials }) => placement && credentials)
          .map((scheme) => ({
            name: scheme.name,
            parts: scheme.placement?.kind === "basic" ? [...scheme.placement.parts] : ["credential"],
            signs: canSign(scheme) ? (scheme.credentials?.resource ?? null) : null,
            known: plainCredential(scheme, model, call.admin.seed)?.slice() ?? null,
          })),
      };
    },
  }),
  route({
    method: "POST",
    path: "/api/trial",
    does: "sends a request to the service as a caller would; returns its response, and the line that decided it",
    bodyBytesMax: sandboxLimits.trialBytesMax,
    body: tryItRequestSchema,
    answer: tryItSchema,
    async run(call) {
      const space = await call.space();
      const { model } = space.service;
      const { parts, body } = call.body;
      const form = parts && multipartBody(parts);
      const request = await requestOf(space, call.body, (placed) => placed);
      const sent = await sendTryIt(
        space,
        {
          ...request,
          headers: [...request.headers, ...(form ? ([["Content-Type", form.contentType]] as const) : [])],
          ...(form ? { body: form.bytes } : body === undefined ? {} : { body }),
        },
        call.signal,
      );
      const noted = sent.id === null ? undefined : space.requests.find(sent.id);
      const { file, text: document } = call.admin.document;
      const line = noted?.because?.start.line;
      return {
        id: sent.id,
        status: sent.status,
        took_ms: noted ? Math.round(noted.tookMs * 100) / 100 : null,
        headers: sent.headers.map(([name, value]) => ({ name, value })),
        body: sent.body,
        cut: sent.isCut,
        because: line === undefined ? null : { line, text: lineText(createSource(file, document), line) },
        why: noted ? reasonSentence(model, space.requests.mask(noted.endpoint), noted, []) : null,
        blamed: (noted?.reasons ?? []).flatMap(({ field, problem }) =>
          field === undefined ? [] : [{ field, message: problem }],
        ),
      };
    },
  }),
  route({
    method: "POST",
    path: "/api/trial-curl",
    does: "the request of a form as a curl command, with a variable in place of its credential; sends nothing",
    bodyBytesMax: sandboxLimits.trialBytesMax,
    body: tryItRequestSchema,
    answer: curlSchema,
    async run(call) {
      const { body, parts } = call.body;
      const request = await requestOf(await call.space(), call.body, withVariable);
      return { curl: tryItCurl(call.admin.origin(), { ...request, body, parts }) };
    },
  }),
];

type TryItRequest = Static<typeof tryItRequestSchema>;

/** @throws OperationRefusal */
async function requestOf(
  space: AdminSpace,
  { method, path, query = [], headers = [], version, body, parts, caller }: TryItRequest,
  place: (credential: PlacedCredential) => PlacedCredential,
): Promise<Omit<CurlRequest, "body" | "parts">> {
  if (/[\s#]/.test(path)) throw badRequest("A path can't contain blanks or #.");
  if (body !== undefined && parts) throw badRequest('Send either "body" or "parts", not both.');
  const placed = place(caller ? await credentialOf(space, caller) : { headers: [], query: [] });
  const search = new URLSearchParams([
    ...query.map(({ name, value }): [string, string] => [name, value]),
    ...placed.query.map(([name, value]): [string, string] => [name, value]),
  ]).toString();
  const { model } = space.service;
  const request = withVersion(model.versioning, versionNamed(model, version)?.name, {
    target: search === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${search}`,
    headers,
  });
  return {
    method,
    target: request.target,
    headers: [
      ...request.headers.map(({ name, value }) => [checkedName(name), checked(value)] as const),
      ...placed.headers.map(([name, value]) => [name, checked(value)] as const),
    ],
  };
}

/** @throws OperationRefusal */
function versionNamed({ versioning }: Model, name: string | undefined): Version | undefined {
  if (name === undefined || versioning.scheme?.kind === "none") return undefined;
  const version = versioning.versions.find(
    (candidate) => candidate.name === name && candidate.status !== "retired",
  );
  if (!version) throw badRequest(`Unknown version "${name}".`);
  return version;
}

function toVersionResponse({ versioning }: Model, { name }: Version) {
  const place = versionPlace(versioning, name);
  return {
    name,
    versions: versioning.versions.filter(({ status }) => status !== "retired").map((version) => version.name),
    sent: place ? namingText(place) : null,
  };
}

function namingText(place: VersionPlace): string {
  if (place.in === "path") return `${place.prefix}/…`;
  return place.in === "query" ? `?${place.name}=${place.value}` : `${place.name}: ${place.value}`;
}

function checkedName(name: string): string {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw badRequest("The name of a header is invalid.");
  return name;
}

function checked(value: string): string {
  if (/[\r\n\0]/.test(value)) throw badRequest("A header must be one line.");
  return value;
}
