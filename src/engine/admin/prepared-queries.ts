/**
 * Prepared statements for operators' questions: prepared on first use, with a bounded cache for
 * each service.
 */
import { bind } from "../../expressions/parameters.ts";
import type { Frame, QueryParameters } from "../../expressions/value.ts";
import type { Query } from "../../store/store.ts";
import type { Service } from "../service.ts";

const rememberedMax = 128;

const remembered = new WeakMap<Service["internals"], Map<string, Query<unknown>>>();

export function preparedQuery<T>({ internals }: Service, name: string, prepare: () => Query<T>): Query<T> {
  const queries = remembered.get(internals) ?? new Map<string, Query<unknown>>();
  remembered.set(internals, queries);
  let query = queries.get(name) as Query<T> | undefined;
  if (query) queries.delete(name);
  else query = prepare();
  // Evicts the oldest statement.
  if (queries.size >= rememberedMax) queries.delete(queries.keys().next().value as string);
  queries.set(name, query);
  return query;
}

/** Creates a frame at the present time, with query parameters and without a caller. */
export function frameOf({ internals }: Service, parameters: QueryParameters = {}): Frame {
  return bind(internals.newFrame(internals.context.ports.clock.now()), parameters);
}
