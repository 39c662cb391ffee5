/**
 * Request journal routes: a filtered list, one request in full, and the texts generated from a
 * request.
 */
import { type Static, Type } from "typebox";
import { asScenario } from "../../requests/as-scenario.ts";
import { asCurl } from "../../requests/as-curl.ts";
import { matchesFilter } from "../../requests/filter.ts";
import { repeat } from "../../requests/repeat.ts";
import {
  requestSchema,
  requestRow,
  toRequestResponse,
  toRequestRow,
} from "../../requests/serialize-request.ts";
import type { AdminSpace } from "../../context.ts";
import { OperationRefusal } from "../routing/refusal.ts";
import { type Call, fields, limit, defaultLimit, nullable, route } from "../routing/route.ts";
import type { JournalEntry } from "../../../engine/observability/journal-entry.ts";

export type RequestsResponse = Static<typeof requestsSchema>;
export type { RequestResponse, RequestRow } from "../../requests/serialize-request.ts";

const requestsSchema = fields({
  requests: Type.Array(requestRow),
  kept: Type.Integer({ description: "how many are remembered" }),
});

export type CurlResponse = Static<typeof curlSchema>;

const curlSchema = fields({ curl: Type.String() });

export type RequestScenarioResponse = Static<typeof requestScenarioSchema>;

const requestScenarioSchema = fields({
  markdown: Type.String(),
  unknown: Type.Array(Type.String(), {
    description: "values that the user has to fill in",
  }),
});

const filter = {
  status: Type.Optional(
    Type.String({ pattern: "^[1-5](xx|[0-9]{2})$", description: "409, or a whole class: 4xx" }),
  ),
  method: Type.Optional(Type.String({ maxLength: 20 })),
  endpoint: Type.Optional(Type.String({ maxLength: 2_000, description: "as in its heading" })),
  caller: Type.Optional(Type.String({ maxLength: 200, description: "an identifier, or a resource" })),
  text: Type.Optional(Type.String({ maxLength: 200, description: "in the path or in the request's id" })),
  condition: Type.Optional(Type.String({ maxLength: 100, description: "of part 7, or a code of it" })),
  record: Type.Optional(
    Type.String({ maxLength: 300, description: "a changed record, Parcel/pcl_1, or a resource" }),
  ),
};

export const requestRoutes = [
  route({
    method: "GET",
    path: "/api/requests",
    does: "the last requests to the data space, newest first; `before` a number",
    query: fields({ ...filter, before: Type.Optional(Type.Integer({ minimum: 1 })), limit }),
    answer: requestsSchema,
    async run(call) {
      const { limit: max = defaultLimit, before = Number.POSITIVE_INFINITY, ...filter } = call.query;
      const space = await call.space();
      const { requests: journal } = space;
      const all = journal.all();
      const found: JournalEntry[] = [];
      for (let at = all.length - 1; at >= 0 && found.length < max; at -= 1) {
        const request = all[at] as JournalEntry;
        if (request.number < before && matchesFilter(journal, request, filter)) found.push(request);
      }
      return { requests: found.map((request) => toRequestRow(space, request)), kept: all.length };
    },
  }),
  route({
    method: "GET",
    path: "/api/requests/{id}",
    does: "one request with its response, its changes, and the line that decided it",
    answer: requestSchema,
    async run(call) {
      const space = await call.space();
      return toRequestResponse(call.admin, space, requestOf(space, call));
    },
  }),
  route({
    method: "GET",
    path: "/api/requests/{id}/curl",
    does: "a request as a shell command, without its secrets",
    answer: curlSchema,
    async run(call) {
      const space = await call.space();
      const curl = asCurl(space.requests, requestOf(space, call), call.admin.origin());
      if (curl === null) throw textsDiscarded();
      return { curl };
    },
  }),
  route({
    method: "GET",
    path: "/api/requests/{id}/scenario",
    does: "a request as a scenario to paste into part 1, with the records that it needs",
    answer: requestScenarioSchema,
    async run(call) {
      const space = await call.space();
      const made = await asScenario(space, requestOf(space, call));
      if (!made) throw textsDiscarded();
      return { markdown: made.markdown, unknown: [...made.unknown] };
    },
  }),
  route({
    method: "POST",
    path: "/api/requests/{id}/repeat",
    does: "sends a request again as it was received; returns the new one",
    answer: fields({ id: nullable(Type.String()), status: Type.Integer() }),
    async run(call) {
      const space = await call.space();
      const request = requestOf(space, call);
      if (!request.texts) throw textsDiscarded();
      return repeat(space, request, request.texts, call.signal);
    },
  }),
];

function requestOf({ requests }: AdminSpace, call: Call): JournalEntry {
  const key = call.parameter("id");
  const found = requests.find(key);
  if (found) return found;
  throw new OperationRefusal(
    404,
    "No such request",
    `The request "${key.slice(0, 64)}" is not among the last that are remembered.`,
  );
}

function textsDiscarded(): OperationRefusal {
  return new OperationRefusal(
    410,
    "No longer stored",
    "Only the list's fields of this request are still stored: newer ones replaced its headers and its body.",
  );
}
