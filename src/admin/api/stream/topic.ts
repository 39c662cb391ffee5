/**
 * Stream topic: one subject of `GET /api/stream`. A topic watches one data space while it has a
 * reader. It pushes cheap references, and only those that are sent are serialized. The hub limits
 * frequency and size.
 */
import type { Topic } from "../../context.ts";

/** Hides the type of the pushed values, which only the topic itself uses. */
export function topic<Pushed>(parts: Topic<Pushed>): Topic {
  return parts as Topic;
}
