/**
 * Stream topic: one subject of `GET /api/stream`. A topic watches one data space while it has a reader. It pushes
 * cheap references, of which only those that are sent are serialized. The hub decides how often and how much is sent.
 */
import type { AdminContext, AdminSpace } from "../context.ts";

export interface Topic<Pushed = unknown> {
  readonly name: string;
  /** Each push is a row of its own, or takes the place of the one before. */
  readonly delivers: "rows" | "latest";
  /**
   * Starts pushing; the returned function stops it. It is stopped before the service of the space closes, and started
   * again with the next one.
   */
  start(space: AdminSpace, push: (pushed: Pushed) => void, admin: AdminContext): () => void;
  /** The pushed value as plain JSON. */
  serialize(pushed: Pushed): unknown;
}

/** A topic whose type only itself knows. */
export function topic<Pushed>(parts: Topic<Pushed>): Topic {
  return parts as Topic;
}
