/** Try it: what each endpoint takes, and a request that is sent as a caller would. The page never sees a stored secret. */
import { type Static, Type } from "typebox";
import { hasRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Endpoint, Input, Model } from "../../model/model.ts";
import { needsCaller, servingSchemes } from "../../model/caller-type.ts";
import { createSource, lineText } from "../../source/source.ts";
import { canSign, placeCaller } from "../trial/credentials.ts";
import { sendTrial } from "../trial/send.ts";
import { badRequest } from "./refusal.ts";
import { fields, maybe, route } from "./route.ts";

const input = fields({
  name: Type.String(),
  in: Type.Union([Type.Literal("path"), Type.Literal("query"), Type.Literal("header"), Type.Literal("body")]),
  type: Type.String(),
  required: Type.Boolean(),
  secret: Type.Boolean(),
  values: maybe(Type.Array(Type.String(), { description: "one of these" })),
  line: Type.Integer(),
});

const endpoint = fields({
  key: Type.String({ description: "method and path, as the heading has them" }),
  method: Type.String(),
  path: Type.String({ description: "with the base path" }),
  prose: Type.String(),
  line: Type.Integer(),
  caller: Type.Boolean({ description: "it serves nobody without a credential" }),
  schemes: Type.Array(Type.String()),
  body_in: maybe(Type.String()),
  inputs: Type.Array(input),
});

const scheme = fields({
  name: Type.String(),
  parts: Type.Array(Type.String(), { description: "what is typed" }),
  signs: maybe(Type.String({ description: "the resource of whose records the service can sign tokens" })),
});

const trialsAnswer = fields({ endpoints: Type.Array(endpoint), schemes: Type.Array(scheme) });

export type TrialsAnswer = Static<typeof trialsAnswer>;

const headerLine = fields({ name: Type.String(), value: Type.String() });

const trialAnswer = fields({
  id: maybe(Type.String()),
  status: Type.Integer(),
  took_ms: maybe(Type.Number()),
  headers: Type.Array(headerLine),
  body: maybe(Type.String({ description: "null where it is no text" })),
  cut: Type.Boolean(),
  because: maybe(fields({ line: Type.Integer(), text: Type.String() })),
  blamed: Type.Array(fields({ field: Type.String(), message: Type.String() })),
});

export type TrialAnswer = Static<typeof trialAnswer>;

const text = Type.String({ maxLength: 65_536 });

export const trialRoutes = [
  route({
    method: "GET",
    path: "/api/trial",
    does: "what each endpoint takes, and by which schemes one can call",
    answer: trialsAnswer,
    async run(call) {
      const { model } = (await call.space()).service;
      return {
        endpoints: model.endpoints.filter(({ gap }) => !gap).map((one) => tellEndpoint(model, one)),
        schemes: model.authentication.schemes
          .filter(({ placement, credentials }) => placement && credentials)
          .map((one) => ({
            name: one.name,
            parts: one.placement?.kind === "basic" ? [...one.placement.parts] : ["credential"],
            signs: canSign(one) ? (one.credentials?.resource ?? null) : null,
          })),
      };
    },
  }),
  route({
    method: "POST",
    path: "/api/trial",
    does: "sends a request to the service as a caller would; answers what it answered, and the line that decided",
    body: fields({
      method: Type.String({ pattern: "^[A-Z]{1,10}$" }),
      path: Type.String({ pattern: "^/", maxLength: 8192 }),
      query: Type.Optional(Type.Array(fields({ name: text, value: text }))),
      headers: Type.Optional(Type.Array(headerLine)),
      body: Type.Optional(text),
      caller: Type.Optional(
        fields({
          scheme: Type.String(),
          record: Type.Optional(Type.String({ maxLength: 300 })),
          texts: Type.Optional(Type.Array(text)),
        }),
      ),
    }),
    answer: trialAnswer,
    async run(call) {
      const space = await call.space();
      const { method, path, query = [], headers = [], body, caller } = call.body;
      if (/[\s#]/.test(path)) throw badRequest("A path has no blanks and no # in it.");
      const placed = caller ? await placeCaller(space, caller) : { headers: [], query: [] };
      const search = new URLSearchParams([
        ...query.map(({ name, value }): [string, string] => [name, value]),
        ...placed.query.map(([name, value]): [string, string] => [name, value]),
      ]).toString();
      const sent = await sendTrial(
        space,
        {
          method,
          target: search === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${search}`,
          headers: [
            ...headers.map(({ name, value }): [string, string] => [checkedName(name), checked(value)]),
            ...placed.headers.map(([name, value]): [string, string] => [name, checked(value)]),
          ],
          ...(body === undefined ? {} : { body }),
        },
        call.signal,
      );
      const noted = sent.id === null ? undefined : space.requests.find(sent.id);
      const { file, text: document } = call.operated.document;
      const line = noted?.because?.start.line;
      return {
        id: sent.id,
        status: sent.status,
        took_ms: noted ? Math.round(noted.tookMs * 100) / 100 : null,
        headers: sent.headers.map(([name, value]) => ({ name, value })),
        body: sent.body,
        cut: sent.isCut,
        because: line === undefined ? null : { line, text: lineText(createSource(file, document), line) },
        blamed: (noted?.reasons ?? []).flatMap(({ field, problem }) =>
          field === undefined ? [] : [{ field, message: problem }],
        ),
      };
    },
  }),
];

function checkedName(name: string): string {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw badRequest("That is no name of a header.");
  return name;
}

function checked(value: string): string {
  if (/[\r\n\0]/.test(value)) throw badRequest("A header is one line.");
  return value;
}

function tellEndpoint(model: Model, one: Endpoint) {
  const base = model.endpointsPart.basePath.text.replace(/\/$/, "");
  const parameters = [...(base + one.path.text).matchAll(/\{([^}]+)\}/g)].map((found) => found[1] as string);
  const known = new Set(one.inputs.filter((its) => its.in === "path").map(({ name }) => name.join(".")));
  return {
    key: `${one.method} ${one.path.text}`,
    method: one.method,
    path: base + one.path.text,
    prose: one.prose,
    line: one.position.start.line,
    caller: needsCaller(model, one),
    schemes: servingSchemes(model, one).map(({ name }) => name),
    body_in: one.bodyIn ?? null,
    inputs: [
      ...parameters
        .filter((name) => !known.has(name))
        .map((name) => ({
          name,
          in: "path" as const,
          type: "string",
          required: true,
          secret: false,
          values: null,
          line: one.position.start.line,
        })),
      ...one.inputs.map(tellInput),
    ],
  };
}

function tellInput({ name, in: place, type, required, rules, position }: Input) {
  return {
    name: name.join("."),
    in: place,
    type: wordsOf(type),
    required: required || place === "path" || hasRule(rules, "required"),
    secret: type.kind === "password" || type.kind === "credential",
    values: valuesOf(type),
    line: position.start.line,
  };
}

function wordsOf(type: FieldType): string {
  switch (type.kind) {
    case "list":
      return `list of ${wordsOf(type.of)}`;
    case "map":
      return `map of ${wordsOf(type.of)}`;
    case "reference":
    case "value":
      return type.resource;
    case "enum":
      return "one of";
    default:
      return type.kind;
  }
}

function valuesOf(type: FieldType): string[] | null {
  if (type.kind === "enum") return [...type.values];
  if (type.kind === "state") return [...type.states];
  return type.kind === "boolean" ? ["true", "false"] : null;
}
