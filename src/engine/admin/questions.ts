/** Statements for operators' questions, prepared when first asked: a bounded number of them is remembered for each service. */
import type { Frame, Value } from "../../expressions/value.ts";
import type { Query } from "../../store/store.ts";
import type { Service } from "../service.ts";

const rememberedMax = 128;

const remembered = new WeakMap<Service["internals"], Map<string, Query<unknown>>>();

export function prepared<T>({ internals }: Service, name: string, prepare: () => Query<T>): Query<T> {
  const queries = remembered.get(internals) ?? new Map<string, Query<unknown>>();
  remembered.set(internals, queries);
  let query = queries.get(name) as Query<T> | undefined;
  if (query) queries.delete(name);
  else query = prepare();
  // The one that was asked longest ago makes room.
  if (queries.size >= rememberedMax) queries.delete(queries.keys().next().value as string);
  queries.set(name, query);
  return query;
}

/** A frame of now in which names stand for values; nobody calls. */
export function frameOf({ internals }: Service, named: Readonly<Record<string, Value>> = {}): Frame {
  const frame = internals.newFrame(internals.context.ports.clock.now());
  Object.assign(frame.named, named);
  return frame;
}
