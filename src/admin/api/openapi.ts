/**
 * OpenAPI description of the operations API, generated from its routes, so that both always agree.
 */
import { Type } from "typebox";
import { mediaTypeOf } from "./routing/media-type.ts";
import { type Route, route } from "./routing/route.ts";

/** @param routes all routes of the API, including this one */
export const openapiRoutes = (routes: () => readonly Route[]) => [
  route({
    method: "GET",
    path: "/api/openapi.json",
    does: "this API as OpenAPI",
    isSpaceScoped: false,
    answer: Type.Unsafe<object>({ type: "object" }),
    run: (call) => openapiOf(routes(), call.admin.ninefold),
  }),
];

function openapiOf(all: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of all)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Ninefold operations API",
      version,
      description: "The operations of a running service, for its operator. See docs/guides/operations.md.",
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    tags: [...new Set(all.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Problem: problem },
      responses: {
        Refused: {
          description: "What is wrong, and what to do instead.",
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
        Forbidden: {
          description:
            "The token is missing or wrong, or the request has another origin. The response has no details.",
        },
      },
    },
  };
}

const text = { type: "string" } as const;
const problem = {
  type: "object",
  required: ["type", "title", "status", "detail"],
  properties: {
    type: text,
    title: text,
    status: { type: "integer" },
    detail: { ...text, description: "what is wrong and what to do" },
    errors: {
      type: "array",
      description: "each field that is wrong, or each place in a text",
      items: {
        type: "object",
        required: ["message"],
        properties: {
          field: text,
          line: { type: "integer" },
          column: { type: "integer" },
          message: text,
          hint: text,
        },
      },
    },
  },
} as const;

function operationOf(route: Route): object {
  const { does, body, answer } = route;
  const isRequired = (body?.required ?? []).length > 0;
  return {
    operationId: operationIdOf(route),
    summary: does,
    tags: [tagOf(route)],
    parameters: parametersOf(route),
    ...(body
      ? { requestBody: { required: isRequired, content: { "application/json": { schema: body } } } }
      : {}),
    responses: {
      "200": {
        description: does,
        content: { [mediaTypeOf(route)]: { schema: route.streams ? text : answer } },
      },
      "403": { $ref: "#/components/responses/Forbidden" },
      default: { $ref: "#/components/responses/Refused" },
    },
  };
}

function parametersOf({ path, query, isSpaceScoped }: Route): readonly object[] {
  const required = new Set<string>(query.required ?? []);
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: text,
    })),
    ...(isSpaceScoped ? [space] : []),
    ...Object.entries(query.properties).map(([name, schema]) => ({
      name,
      in: "query",
      required: required.has(name),
      schema,
    })),
  ];
}

const space = {
  name: "space",
  in: "query",
  required: false,
  description: "the data space of a sandbox; without it, the one of requests that name none",
  schema: text,
};

/** The tag of a route: `/api/snapshots/{name}` has the tag `snapshots`. */
function tagOf({ path }: Route): string {
  return path.split("/")[2] ?? "about";
}

/**
 * The operation id of a route: `post /api/snapshots/{name}/restore` has
 * `postSnapshotsByNameRestore`.
 */
function operationIdOf({ method, path }: Route): string {
  const words = path
    .split("/")
    .slice(2)
    .map((segment) => segment.replace(/^\{(\w+)\}$/, "by-$1"))
    .join("-")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join(
    "",
  );
}
