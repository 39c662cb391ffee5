/** Overview: the served document, its items and gaps, and the present activity. */
import { type Static, Type } from "typebox";
import { partTitles } from "../../../syntax/nodes.ts";
import type { AdminContext, AdminSpace } from "../../context.ts";
import { firstRequest } from "../../overview/first-request.ts";
import { type Live, liveOf } from "../../overview/live.ts";
import { pollEverySecond } from "../stream/poll-every-second.ts";
import { fields, nullable, route, time } from "../routing/route.ts";
import { topic } from "../stream/topic.ts";
import { machine } from "../../../support/machine.ts";

export type OverviewResponse = Static<typeof overviewSchema>;
/** The value of the topic `overview`. */
export type LiveResponse = Static<typeof liveSchema>;

const item = fields({
  part: Type.String({ description: "the title of one of the nine parts" }),
  item: Type.String(),
  answer: Type.Enum(["stated", "none", "not shown", "silent"]),
  line: Type.Integer({ description: "where it is answered; of a silent one, the heading of its part" }),
});

const gap = fields({
  line: Type.Integer(),
  message: Type.String({ description: "what isn't shown" }),
  hint: nullable(Type.String({ description: "what would close the gap" })),
});

const liveSchema = fields({
  traffic: fields({
    per_second: Type.Number({ description: "over the last ten seconds" }),
    requests: Type.Integer({ description: "in the last minute" }),
    error_share: Type.Number({ description: "of these, those answered 5xx: 0 to 1" }),
    refused_share: Type.Number({ description: "those answered 4xx" }),
    p50_ms: nullable(Type.Number()),
    p95_ms: nullable(Type.Number()),
    history: Type.Array(Type.Integer(), { description: "requests of each second, the oldest first" }),
  }),
  due_timers: Type.Integer({ description: "timed transitions that are due, counted up to 10,001" }),
  next_timer: nullable(time),
  undelivered: Type.Integer({ description: "pending deliveries, counted up to 10,001" }),
  store: fields({
    kind: Type.String(),
    path: nullable(Type.String()),
    bytes: Type.Integer(),
    log_bytes: Type.Integer({
      description: "changes in the write-ahead log that are not in the database file yet",
    }),
    free_bytes: nullable(Type.Integer()),
    trouble: nullable(Type.String({ description: "why the next change can't be stored" })),
  }),
  instance: fields({
    uptime_seconds: Type.Integer(),
    memory_bytes: Type.Integer(),
    heap_bytes: Type.Integer(),
  }),
});

const overviewSchema = fields({
  name: Type.String(),
  file: Type.String(),
  version: nullable(Type.String({ description: "the current one of the document" })),
  service: Type.String({ description: "its address, with the base path" }),
  space: Type.String(),
  is_sandbox: Type.Boolean(),
  endpoints: Type.Integer(),
  resources: Type.Integer(),
  curl: nullable(Type.String({ description: "a first request that works; null where none is known" })),
  items: Type.Array(item, { description: "the document's answer to each of the 26 items" }),
  gaps: Type.Array(gap),
  instance: fields({ ninefold: Type.String(), node: Type.String(), pid: Type.Integer(), started: time }),
  live: liveSchema,
});

export const overviewRoutes = [
  route({
    method: "GET",
    path: "/api/overview",
    does: "what is served, the 26 items and the gaps of its document, and live figures",
    answer: overviewSchema,
    run: async (call) => toOverviewResponse(call.admin, await call.space()),
  }),
];

export const overviewTopic = topic<Live>({
  name: "overview",
  delivers: "latest",
  start: (space, push, { log }) => pollEverySecond(log, async () => push(await liveOf(space))),
  serialize: toLiveResponse,
});

async function toOverviewResponse(admin: AdminContext, space: AdminSpace): Promise<OverviewResponse> {
  const { model, document, spaces, seed } = admin;
  const current = model.versioning.versions.find((version) => version.status === "current");
  const origin = admin.origin();
  return {
    name: model.name,
    file: document.file,
    version: current?.name ?? null,
    service: `${origin}${model.endpointsPart.basePath.text.replace(/\/$/, "")}`,
    space: space.name,
    is_sandbox: spaces !== undefined,
    endpoints: model.endpoints.length,
    resources: model.resources.length,
    // Clients of this route already have full access, so the command may include a credential.
    curl: firstRequest({ model, given: seed, origin, showsCredentials: true }) ?? null,
    items: model.ledger.map(({ part, item, answer, position }) => ({
      part: partTitles[part],
      item,
      answer,
      line: position.start.line,
    })),
    gaps: document.diagnostics
      .filter((diagnostic) => diagnostic.kind === "gap")
      .map(({ position, message, hint }) => ({
        line: position.start.line,
        message,
        hint: hint ?? null,
      })),
    instance: {
      ninefold: admin.ninefold,
      node: process.version,
      pid: process.pid,
      started: new Date(machine.now() - process.uptime() * 1000).toISOString(),
    },
    live: toLiveResponse(await liveOf(space)),
  };
}

function toLiveResponse({ traffic, timers, undelivered, store, process: own }: Live): LiveResponse {
  return {
    traffic: {
      per_second: traffic.perSecond,
      requests: traffic.requests,
      error_share: traffic.errorShare,
      refused_share: traffic.refusedShare,
      p50_ms: traffic.p50Ms,
      p95_ms: traffic.p95Ms,
      history: [...traffic.history],
    },
    due_timers: timers.due,
    next_timer: timers.nextMs === null ? null : new Date(timers.nextMs).toISOString(),
    undelivered,
    store: {
      kind: store.kind,
      path: store.path,
      bytes: store.bytes,
      log_bytes: store.logBytes,
      free_bytes: store.freeBytes,
      trouble: store.obstacle,
    },
    instance: {
      uptime_seconds: own.uptimeSeconds,
      memory_bytes: own.memoryBytes,
      heap_bytes: own.heapBytes,
    },
  };
}
