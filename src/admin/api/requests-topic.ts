/** Each request as it is answered, and once more when its stream has ended. Only those that are sent are told of. */
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
