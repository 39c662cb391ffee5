/** Deliveries: listed, paused, sent again. What a delivery is stands in `engine/deliveries/`. */
import { type Static, Type } from "typebox";
import type { DeliveryFilter, DeliveryRow, ReceiverRecord } from "../../engine/deliveries/deliveries.ts";
import { identifierOfRow, recordNamed } from "../../engine/edit-records.ts";
import type { Service } from "../../engine/service.ts";
import { readRfc3339 } from "../../fields/types/timestamp.ts";
import type { Json } from "../../support/json.ts";
import { badRequest } from "./refusal.ts";
import { resourceNamed } from "./resource-named.ts";
import { type Call, fields, json, limit, limitStandard, maybe, route, serviceOf, time } from "./route.ts";

export type DeliveryAnswer = Static<typeof deliveryAnswer>;

/** A receiver is a record: its resource and its identifier go together. */
const receiverFields = {
  resource: Type.Optional(Type.String()),
  receiver: Type.Optional(Type.String()),
};
const state = Type.Enum(["open", "done", "dead"]);
const filterFields = {
  id: Type.Optional(Type.String()),
  event: Type.Optional(Type.String({ description: "the event's id" })),
  state: Type.Optional(state),
  ...receiverFields,
};

const deliveryAnswer = fields({
  number: Type.Integer(),
  id: Type.String(),
  state,
  channel: Type.String(),
  resource: Type.String(),
  receiver: json,
  event: fields({
    sequence: Type.Integer(),
    id: Type.String(),
    type: Type.String(),
    time,
    subject: Type.String(),
  }),
  attempts: Type.Integer(),
  created: maybe(time),
  due: maybe(time),
  last: maybe(time),
  ended: maybe(time),
  status: maybe(Type.Integer()),
  error: maybe(Type.String()),
});

const pausedAnswer = fields({ paused: Type.Boolean(), receiver: Type.Optional(Type.String()) });

export const deliveryRoutes = [
  route({
    method: "GET",
    path: "/api/deliveries",
    does: "what is sent of events, newest first: of an `event` (its id), a `state`, a `receiver` (with its `resource`)",
    query: fields({ ...filterFields, before: Type.Optional(Type.Integer({ minimum: 0 })), limit }),
    answer: fields({ paused: Type.Boolean(), deliveries: Type.Array(deliveryAnswer) }),
    async run(call) {
      const service = await serviceOf(call);
      const { before, limit: count = limitStandard } = call.query;
      const filter = {
        ...(await filterOf(service, call.query)),
        ...(before === undefined ? {} : { before }),
      };
      const { deliveries } = service;
      const rows = await deliveries.list(filter, count);
      return { paused: deliveries.isPaused, deliveries: await tellDeliveries(service, rows) };
    },
  }),
  route({
    method: "POST",
    path: "/api/deliveries/pause",
    does: "attempts nothing any more: no delivery, or none to one `receiver` (with its `resource`)",
    body: fields(receiverFields),
    answer: pausedAnswer,
    run: (call) => setPaused(call, true),
  }),
  route({
    method: "POST",
    path: "/api/deliveries/resume",
    does: "attempts what has waited, and ends when it was attempted",
    body: fields(receiverFields),
    answer: pausedAnswer,
    run: (call) => setPaused(call, false),
  }),
  route({
    method: "POST",
    path: "/api/deliveries/redeliver",
    does: 'sends again: by `id`, `event`, `receiver`, `state` ("dead"), or `from` one time `until` another',
    body: fields({
      ...filterFields,
      from: Type.Optional(Type.String()),
      until: Type.Optional(Type.String()),
    }),
    answer: fields({ redelivered: Type.Integer() }),
    async run(call) {
      const service = await serviceOf(call);
      const filter = await filterOf(service, call.body);
      if (Object.keys(filter).length === 0)
        throw badRequest(
          'Say which: {"event": "evt_…"}, {"state": "dead"}, {"from": "2026-12-01T00:00:00Z"} …',
        );
      const redelivered = await service.deliveries.redeliver(filter);
      await service.deliveries.idle();
      return { redelivered };
    },
  }),
  route({
    method: "POST",
    path: "/api/deliveries/enable",
    does: "a `receiver` (with its `resource`) that answered 410 gets deliveries again",
    body: fields(receiverFields),
    answer: fields({ enabled: Type.String() }),
    async run(call) {
      const service = await serviceOf(call);
      const receiver = await receiverOf(service, call.body);
      if (!receiver) throw badRequest('Say which: {"resource": "Hook", "receiver": "hok_…"}.');
      await service.deliveries.enable(receiver);
      return { enabled: call.body.receiver as string };
    },
  }),
];

async function setPaused(call: Call<object, Asked>, isPaused: boolean): Promise<Static<typeof pausedAnswer>> {
  const service = await serviceOf(call);
  const { deliveries } = service;
  const receiver = await receiverOf(service, call.body);
  if (isPaused) await deliveries.pause(receiver);
  else await deliveries.resume(receiver);
  await deliveries.idle();
  return { paused: deliveries.isPaused, ...(receiver ? { receiver: call.body.receiver as string } : {}) };
}

interface Asked {
  readonly id?: string;
  readonly event?: string;
  readonly state?: Static<typeof state>;
  readonly from?: string;
  readonly until?: string;
  readonly resource?: string;
  readonly receiver?: string;
}

/** @throws OperationRefusal | NoSuchRecord */
async function filterOf(service: Service, asked: Asked): Promise<DeliveryFilter> {
  const { id, event, from, until } = asked;
  const receiver = await receiverOf(service, asked);
  return {
    ...(id === undefined ? {} : { id }),
    ...(event === undefined ? {} : { eventId: event }),
    ...(asked.state === undefined ? {} : { state: asked.state }),
    ...(from === undefined ? {} : { from: timeOf("from", from) }),
    ...(until === undefined ? {} : { until: timeOf("until", until) }),
    ...(receiver ? { receiver } : {}),
  };
}

async function receiverOf(
  service: Service,
  { resource, receiver }: Asked,
): Promise<ReceiverRecord | undefined> {
  if (resource === undefined && receiver === undefined) return undefined;
  if (resource === undefined || receiver === undefined)
    throw badRequest('A receiver is a record: "resource" and "receiver" (its identifier) go together.');
  const record = await recordNamed(service, resourceNamed(service.model, resource), receiver);
  return { resource, row: record["#row"] };
}

function timeOf(field: string, text: string): number {
  const read = readRfc3339(text);
  const message = `"${field}" is a timestamp such as 2026-12-01T00:00:00Z.`;
  if (read === undefined) throw badRequest(message, [{ field, message }]);
  return Date.parse(read);
}

async function tellDeliveries(service: Service, rows: readonly DeliveryRow[]): Promise<DeliveryAnswer[]> {
  const known = new Map<string, Json>();
  const told: DeliveryAnswer[] = [];
  for (const row of rows) {
    const name = `${row.resource} ${row.row}`;
    const receiver = known.get(name) ?? ((await identifierOfRow(service, row.resource, row.row)) as Json);
    known.set(name, receiver);
    told.push(tellDelivery(row, receiver));
  }
  return told;
}

/** @param receiver null where the record is gone */
function tellDelivery(row: DeliveryRow, receiver: Json): DeliveryAnswer {
  const timeOrNull = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    number: row.number,
    id: row.id,
    state: row.state,
    channel: row.channel,
    resource: row.resource,
    receiver,
    event: {
      sequence: row.event,
      id: row.eventId,
      type: row.eventType,
      time: row.eventTime,
      subject: row.subject,
    },
    attempts: row.attempts,
    created: timeOrNull(row.createdAt),
    due: timeOrNull(row.dueAt),
    last: timeOrNull(row.lastAt),
    ended: timeOrNull(row.endedAt),
    status: row.status,
    error: row.error,
  };
}
