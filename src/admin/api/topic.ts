/**
 * One thing that `GET /api/stream` tells of. A topic watches one data space while somebody reads it, and pushes what has happened: cheap
 * references, of which only those that are sent are told (`tell`). How often and how much is sent is the hub's matter.
 */
import type { AdminContext, AdminSpace } from "../context.ts";

export interface Topic<Pushed = unknown> {
  readonly name: string;
  /** Each push is a row of its own, or takes the place of the one before. */
  readonly delivers: "rows" | "latest";
  /** Begins to push; the answer stops it. It is stopped before the service of the space is over, and begun anew with the next. */
  start(space: AdminSpace, push: (pushed: Pushed) => void, admin: AdminContext): () => void;
  /** What was pushed as plain JSON. */
  serialize(pushed: Pushed): unknown;
}

/** A topic whose type only it knows. */
export function topic<Pushed>(parts: Topic<Pushed>): Topic {
  return parts as Topic;
}
