/**
 * Requests topic: reports each request when it is answered, and again when its stream closes. It
 * serializes only the rows that are sent.
 */
import type { AdminSpace } from "../../context.ts";
import { toRequestRow } from "../../requests/serialize-request.ts";
import { topic } from "./topic.ts";
import type { JournalEntry } from "../../../engine/observability/journal-entry.ts";

interface Pushed {
  readonly space: AdminSpace;
  readonly request: JournalEntry;
}

export const requestsTopic = topic<Pushed>({
  name: "requests",
  delivers: "rows",
  start: (space, push) => space.requests.watch((request) => push({ space, request })),
  serialize: ({ space, request }) => toRequestRow(space, request),
});
