/**
 * One route of the operations API as a value: its path, a short description, its input and output,
 * and its implementation. The schemas are types (`Static`), are validated before the call, and
 * appear in `/api/openapi.json` unchanged.
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Service } from "../../engine/service.ts";
import type { Space } from "../../engine/sandbox/space.ts";
import type { Spaces } from "../../engine/sandbox/spaces.ts";
import type { Json } from "../../support/json.ts";
import type { AdminContext, AdminSpace } from "../context.ts";
import { pageSizeMax } from "../../engine/admin/page-size.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A routed request with validated input. */
export interface Call<Query = object, Body = object> {
  readonly admin: AdminContext;
  /** The text in the path for `{name}`. */
  parameter(name: string): string;
  readonly query: Query;
  readonly body: Body;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  /**
   * The data space that `?space=` names; for a plain service, the only one. No other service replaces it until the
   * call ends. A read (`GET`) doesn't recreate a space that was removed. @throws OperationRefusal
   */
  space(): Promise<AdminSpace>;
  /** The same for a sandbox, whose service may be replaced when this ends. @throws OperationRefusal */
  sandbox(): Promise<Space>;
  /** All data spaces of the sandbox. @throws OperationRefusal */
  spaces(): Spaces;
}

/** The route as the dispatcher sees it, with any types. */
export interface Route {
  readonly method: Method;
  /** From its first slash: `/api/snapshots/{name}`. */
  readonly path: string;
  /** A short description, for lists of routes. */
  readonly does: string;
  /** Parameters besides `space`, which every route but those of all data spaces takes. */
  readonly query: TObject;
  /** Absent if it takes none. */
  readonly body?: TObject;
  /** If its body may be longer than the common limit, in bytes. */
  readonly bodyBytesMax?: number;
  readonly answer: TSchema;
  /** Its answer is a stream of server-sent events, each of whose `data` is of the schema `answer`. */
  readonly streams: boolean;
  /** It is about one data space, which `?space=` names. */
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
  /** The text of a stream of server-sent events, piece by piece. */
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

/** An object that has these fields and no others: what isn't known is refused, for it would be ignored in silence. */
export function fields<const Fields extends TProperties>(known: Fields) {
  return Type.Object(known, { additionalProperties: false });
}

/** Any JSON, where its form is the document's matter. */
export const json = Type.Unsafe<Json>({});

/** A time as it is written in JSON. */
export const time = Type.String({ format: "date-time" });

export const maybe = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** How many of a list are wanted. */
export const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: pageSizeMax, description: "at most so many" }),
);

/** Longest text of the notation that is read, in characters. */
export const writtenLengthMax = 100_000;

/** The default length of a list. */
export const defaultLimit = 100;

const nothing = fields({});

/** The service of a call's data space. */
export async function serviceOf(call: Pick<Call, "space">): Promise<Service> {
  return (await call.space()).service;
}
