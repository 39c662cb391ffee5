/**
 * Requests topic: each request when it is answered, and again when its stream closes. Only rows that are sent are
 * serialized.
 */
import type { NotedRequest, RequestJournal } from "../../engine/observing/request-journal.ts";
import { toRequestRow } from "../requests/serialize-request.ts";
import { topic } from "./topic.ts";

interface Pushed {
  readonly journal: RequestJournal;
  readonly request: NotedRequest;
}

export const requestsTopic = topic<Pushed>({
  name: "requests",
  delivers: "rows",
  start: ({ requests: journal }, push) => journal.watch((request) => push({ journal, request })),
  serialize: ({ journal, request }) => toRequestRow(journal, request),
});
