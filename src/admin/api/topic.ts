/**
 * Stream topic: one subject of `GET /api/stream`. A topic watches one data space while it has a reader. It pushes
 * cheap references, of which only those that are sent are serialized. The hub decides how often and how much is sent.
 */
import type { Topic } from "../context.ts";

/** A topic whose type only itself knows. */
export function topic<Pushed>(parts: Topic<Pushed>): Topic {
  return parts as Topic;
}
