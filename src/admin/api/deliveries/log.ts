/** Event log for operators: newest first, single events in full, and new events as they happen. */
import { type Static, Type } from "typebox";
import { identifierOfRow } from "../../../engine/admin/edit-records.ts";
import { operatorJournal } from "../../../engine/admin/operator-journal.ts";
import type { Service } from "../../../engine/service.ts";
import type { LogEntry, LogFilter } from "../../../store/store.ts";
import type { Json } from "../../../support/json.ts";
import type { AdminSpace } from "../../context.ts";
import { deliverySchema, toDeliveryResponses } from "./delivery-response.ts";
import { createThrottledTask } from "../stream/throttled-task.ts";
import {
  type UndeliveredReasonResponse,
  undeliveredReasonSchema,
  toUndeliveredReasonResponse,
} from "./undelivered-reason.ts";
import { OperationRefusal } from "../routing/refusal.ts";
import { resourceNamed } from "../routing/find-resource.ts";
import { fields, json, limit, nullable, route, serviceOf, time } from "../routing/route.ts";
import { type RequestRow, requestRow, toRequestRow } from "../../requests/serialize-request.ts";
import { timeOf } from "../routing/time-of.ts";
import { topic } from "../stream/topic.ts";

export type LogResponse = Static<typeof logSchema>;
export type LogEntryResponse = Static<typeof entrySchema>;
export type EventDetailResponse = Static<typeof detailSchema>;

const entrySchema = fields({
  sequence: Type.Integer(),
  id: Type.String(),
  type: Type.String(),
  time,
  resource: Type.String({ description: "empty where it is about no record" }),
  subject: Type.String({ description: "the record's identifier" }),
});

const logSchema = fields({
  events: Type.Array(entrySchema),
  next: nullable(Type.Integer({ description: "`before` of the next page; null on the last one" })),
  types: Type.Array(Type.String(), { description: "of all events of the document" }),
  resources: Type.Array(Type.String(), { description: "the resources that an event may be about" }),
});

const detailSchema = fields({
  ...entrySchema.properties,
  line: nullable(
    Type.Integer({
      description: "the line of the event in the document; null where the document no longer has it",
    }),
  ),
  payload: json,
  request: nullable(
    Type.Unsafe<RequestRow>({
      ...requestRow,
      description: "the request that caused it; null if it is no longer stored",
    }),
  ),
  by_operator: Type.Boolean({
    description: "whether an operator caused it; false if that is no longer stored",
  }),
  is_there: Type.Boolean({ description: "the record is still there" }),
  deliveries: Type.Array(deliverySchema, { description: "events with their receivers, newest first" }),
  more_deliveries: Type.Boolean({ description: "there are more than these" }),
  undelivered: nullable(
    Type.Unsafe<UndeliveredReasonResponse>({
      ...undeliveredReasonSchema,
      description: "why the event has no receiver",
    }),
  ),
});

const pageSize = 50;
/** The maximum number of deliveries listed with one event. */
const deliveriesMax = 100;

export const logRoutes = [
  route({
    method: "GET",
    path: "/api/log",
    does: "events, newest first: of a `type`, about a `resource` or one `subject` of it, `from` one time `until` another; `before` a sequence number",
    query: fields({
      type: Type.Optional(Type.String()),
      resource: Type.Optional(Type.String()),
      subject: Type.Optional(Type.String({ description: "the record's identifier" })),
      from: Type.Optional(Type.String()),
      until: Type.Optional(Type.String()),
      before: Type.Optional(Type.Integer({ minimum: 0 })),
      limit,
    }),
    answer: logSchema,
    async run(call) {
      const service = await serviceOf(call);
      const { system } = service.internals.context.store.session;
      const { limit: count = pageSize } = call.query;
      const found = await system.log(filterOf(service, call.query), count + 1);
      const events = found.slice(0, count);
      const { events: rows } = service.model.events;
      const about = rows.flatMap(({ triggers }) => triggers.map((trigger) => trigger.resource));
      return {
        events: events.map(toLogEntryResponse),
        next: found.length > count ? (events.at(-1)?.sequence ?? null) : null,
        types: rows.map((row) => row.name),
        resources: [...new Set(about)].filter((name) => name !== undefined),
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/log/{id}",
    does: "one event with its payload and receivers",
    answer: detailSchema,
    run: async (call) => toEventDetailResponse(await call.space(), call.parameter("id")),
  }),
];

interface LogParameters {
  readonly type?: string;
  readonly resource?: string;
  readonly subject?: string;
  readonly from?: string;
  readonly until?: string;
  readonly before?: number;
}

/** @throws OperationRefusal */
function filterOf({ model }: Service, { resource, from, until, ...rest }: LogParameters): LogFilter {
  return {
    ...rest,
    ...(resource === undefined ? {} : { resource: resourceNamed(model, resource) }),
    ...(from === undefined ? {} : { from: timeOf("from", from) }),
    ...(until === undefined ? {} : { until: timeOf("until", until) }),
  };
}

export function noSuchEvent(id: string): OperationRefusal {
  return new OperationRefusal(
    404,
    "No such event",
    `The log has no event "${id.slice(0, 100)}". Part 6 says how long events are kept ("Log: kept").`,
  );
}

/** @throws OperationRefusal */
async function toEventDetailResponse(space: AdminSpace, id: string): Promise<EventDetailResponse> {
  const { service, requests } = space;
  const event = await service.internals.context.store.session.system.eventOf(id);
  if (!event) throw noSuchEvent(id);
  const { model, deliveries } = service;
  const isKnown = model.resources.some((resource) => resource.name === event.resource);
  const identifier = isKnown ? await identifierOfRow(service, event.resource, event.row) : null;
  const caused = requests.all().findLast((request) => request.events.includes(event.sequence));
  const listed = await deliveries.list({ eventId: id }, deliveriesMax + 1);
  return {
    ...toLogEntryResponse(event),
    line: model.events.events.find((row) => row.name === event.type)?.position.start.line ?? null,
    payload: JSON.parse(event.payload) as Json,
    request: caused ? toRequestRow(space, caused) : null,
    by_operator: operatorJournal(service.internals).hasCaused(event.sequence),
    is_there: identifier !== null,
    deliveries: await toDeliveryResponses(service, listed.slice(0, deliveriesMax)),
    more_deliveries: listed.length > deliveriesMax,
    undelivered: listed.length === 0 ? await toUndeliveredReasonResponse(service, event) : null,
  };
}

function toLogEntryResponse({ sequence, id, type, time, resource, subject }: LogEntry): LogEntryResponse {
  return { sequence, id, type, time, resource, subject };
}

/**
 * Each event after it is stored. Under load only the newest are sent; gaps in their sequence
 * numbers show how many were omitted.
 */
export const eventsTopic = topic<LogEntry>({
  name: "events",
  delivers: "rows",
  start: ({ service }: AdminSpace, push) => {
    const { context, shared } = service.internals;
    const { system } = context.store.session;
    let last: number | undefined;
    const gathering = createThrottledTask(context.ports.log, async () => {
      const newest = await system.log({}, pageSize);
      const known = last;
      last = newest[0]?.sequence ?? last ?? 0;
      if (known === undefined) return;
      for (const entry of newest.toReversed()) if (entry.sequence > known) push(entry);
    });
    // Finds the current end of the log, so that only later events are sent.
    gathering.trigger();
    const forget = shared.wakeUps.onEvents(() => gathering.trigger());
    return () => {
      forget();
      gathering.stop();
    };
  },
  serialize: toLogEntryResponse,
});
