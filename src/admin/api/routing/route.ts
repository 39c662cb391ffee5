/**
 * Route of the operations API as a value: its path, a short description, its schemas, and its
 * implementation. The schemas give the static types, validate each call, and appear unchanged in
 * `/api/openapi.json`.
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Service } from "../../../engine/service.ts";
import type { Space } from "../../../engine/sandbox/space.ts";
import type { Spaces } from "../../../engine/sandbox/spaces.ts";
import type { Json } from "../../../support/json.ts";
import type { AdminContext, AdminSpace } from "../../context.ts";
import { pageSizeMax } from "../../../engine/admin/page-size.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A routed request with validated input. */
export interface Call<Query = object, Body = object> {
  readonly admin: AdminContext;
  /** The text of the path parameter `{name}`. */
  parameter(name: string): string;
  readonly query: Query;
  readonly body: Body;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /**
   * Opens the data space that `?space=` names; a plain service has only one. The service isn't
   * replaced until the call ends. A read (`GET`) doesn't recreate a removed space.
   * @throws OperationRefusal
   */
  space(): Promise<AdminSpace>;
  /** The same for a sandbox. Its service may be replaced by this call. @throws OperationRefusal */
  sandbox(): Promise<Space>;
  /** All data spaces of the sandbox. @throws OperationRefusal */
  spaces(): Spaces;
}

/** A route without its types, as the dispatcher uses it. */
export interface Route {
  readonly method: Method;
  /** The path with its leading slash: `/api/snapshots/{name}`. */
  readonly path: string;
  /** A short description, for lists of routes. */
  readonly does: string;
  /** The query parameters except `space`, which every route of a data space accepts. */
  readonly query: TObject;
  /** The schema of the body; absent if the route accepts none. */
  readonly body?: TObject;
  /** The maximum size of the body in bytes, if it is above the common limit. */
  readonly bodyBytesMax?: number;
  readonly answer: TSchema;
  /**
   * Whether the response is a stream of server-sent events. The `data` of each event then has the
   * schema `answer`.
   */
  readonly streams: boolean;
  /** Whether the route works on one data space, which `?space=` selects. */
  readonly isSpaceScoped: boolean;
  run(call: Call): unknown;
}

interface RouteParts<Query extends TObject, Body extends TObject, Answer extends TSchema> {
  readonly method: Method;
  readonly path: string;
  readonly does: string;
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyBytesMax?: number;
  readonly answer: Answer;
  readonly isSpaceScoped?: boolean;
}

interface Answering<Query extends TObject, Body extends TObject, Answer extends TSchema>
  extends RouteParts<Query, Body, Answer> {
  run(call: Call<Static<Query>, Static<Body>>): Promise<Static<Answer>> | Static<Answer>;
}

interface Streaming<Query extends TObject, Answer extends TSchema>
  extends RouteParts<Query, TObject, Answer> {
  /** Returns the text of a stream of server-sent events, piece by piece. */
  run(call: Call<Static<Query>, object>): Promise<AsyncIterable<string>> | AsyncIterable<string>;
}

export function route<
  Answer extends TSchema,
  Query extends TObject = TObject<Record<never, never>>,
  Body extends TObject = TObject<Record<never, never>>,
>(parts: Answering<Query, Body, Answer>): Route {
  return { isSpaceScoped: true, query: nothing, streams: false, ...parts } as Route;
}

export function streamingRoute<Answer extends TSchema, Query extends TObject = TObject<Record<never, never>>>(
  parts: Streaming<Query, Answer>,
): Route {
  return { isSpaceScoped: true, query: nothing, ...parts, streams: true } as Route;
}

/**
 * The schema of an object with exactly these fields. Unknown fields are rejected, because ignoring
 * them would be silent.
 */
export function fields<const Fields extends TProperties>(known: Fields) {
  return Type.Object(known, { additionalProperties: false });
}

/** Any JSON value; the document determines its form. */
export const json = Type.Unsafe<Json>({});

/** A timestamp in JSON. */
export const time = Type.String({ format: "date-time" });

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** The maximum number of items in the returned list. */
export const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: pageSizeMax, description: "the maximum number" }),
);

/** The maximum length of a text in the notation, in characters. */
export const writtenLengthMax = 100_000;

/** The default number of items in a list. */
export const defaultLimit = 100;

const nothing = fields({});

/** The service of the data space that a call selects. */
export async function serviceOf(call: Pick<Call, "space">): Promise<Service> {
  return (await call.space()).service;
}
