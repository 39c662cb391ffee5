/**
 * Delivery routes: list, read, pause and resend deliveries, and read the state of their receivers.
 * `engine/deliveries/` implements these operations.
 */
import { type Static, Type } from "typebox";
import type { DeliveryFilter } from "../../../engine/deliveries/deliveries.ts";
import { targetsOf } from "../../../engine/events/targets.ts";
import { findRecord } from "../../../engine/admin/edit-records.ts";
import type { Service } from "../../../engine/service.ts";
import { detailSchema, toDeliveryDetailResponse } from "./delivery-detail.ts";
import {
  cursorOf,
  receiverSchema,
  receiversSchema,
  toReceiverResponse,
  toReceiversResponse,
  toWebhooksResponse,
} from "./delivery-receivers.ts";
import { deliverySchema, deliveryChannel, deliveryState, toDeliveryResponses } from "./delivery-response.ts";
import {
  type UndeliveredReasonResponse,
  undeliveredReasonSchema,
  toNothingSentResponse,
} from "./undelivered-reason.ts";
import { badRequest, OperationRefusal } from "../routing/refusal.ts";
import { resourceNamed } from "../routing/find-resource.ts";
import { type Call, fields, limit, defaultLimit, nullable, route, serviceOf } from "../routing/route.ts";
import { timeOf } from "../routing/time-of.ts";
import type { ReceiverRecord } from "../../../engine/deliveries/test-delivery.ts";

export type DeliveriesResponse = Static<typeof deliveriesSchema>;

/** A receiver is a record, selected by its identifier. */
const receiverFields = {
  resource: Type.Optional(
    Type.String({ description: "the resource of the receiver, if webhooks go to several resources" }),
  ),
  receiver: Type.Optional(Type.String({ description: "its identifier" })),
};
const filterFields = {
  id: Type.Optional(Type.String()),
  event: Type.Optional(Type.String({ description: "the event's id" })),
  state: Type.Optional(deliveryState),
  failed: Type.Optional(Type.Boolean({ description: "only those whose last attempt failed" })),
  channel: Type.Optional(deliveryChannel),
  from: Type.Optional(Type.String({ description: "created at this time or later" })),
  until: Type.Optional(Type.String()),
  ...receiverFields,
};

/** Counting stops at this number. */
const countedMax = 10_001;

const deliveriesSchema = fields({
  paused: Type.Boolean({ description: "whether deliveries are paused" }),
  deliveries: Type.Array(deliverySchema),
  undelivered: nullable(
    Type.Unsafe<UndeliveredReasonResponse>({
      ...undeliveredReasonSchema,
      description: "why nothing was sent",
    }),
  ),
});

const testSchema = fields({
  id: Type.String({ description: "the event of the test, which has no delivery" }),
  event: Type.String(),
  took_ms: Type.Integer(),
  status: nullable(Type.Integer({ description: "null without a response" })),
  error: nullable(Type.String()),
  answer: nullable(Type.String({ description: "the start of the response" })),
});

export type TestedDeliveryResponse = Static<typeof testSchema>;

const pausedSchema = fields({ paused: Type.Boolean(), receiver: Type.Optional(Type.String()) });

export const deliveryRoutes = [
  route({
    method: "GET",
    path: "/api/deliveries",
    does: "deliveries, newest first: by `event` (its id), `state`, `receiver` (with its `resource`)",
    query: fields({ ...filterFields, before: Type.Optional(Type.Integer({ minimum: 0 })), limit }),
    answer: deliveriesSchema,
    async run(call) {
      const service = await serviceOf(call);
      const { before, limit: count = defaultLimit } = call.query;
      const filter = {
        ...(await filterOf(service, call.query)),
        ...(before === undefined ? {} : { before }),
      };
      const { deliveries } = service;
      const rows = await deliveries.list(filter, count);
      const isNone = rows.length === 0 && Object.keys(filter).length === 0;
      return {
        paused: deliveries.isPaused,
        deliveries: await toDeliveryResponses(service, rows),
        undelivered: isNone ? await toNothingSentResponse(service) : null,
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/deliveries/count",
    does: "the number of deliveries that match the same filters, counted up to 10,001",
    query: fields(filterFields),
    answer: fields({ count: Type.Integer() }),
    async run(call) {
      const service = await serviceOf(call);
      const filter = await filterOf(service, call.query);
      return { count: await service.deliveries.count(filter, countedMax) };
    },
  }),
  route({
    method: "GET",
    path: "/api/deliveries/receivers",
    does: "receivers of deliveries with their state: all records of `channel=webhook`, only those in `trouble`, `after` one of them",
    query: fields({
      channel: Type.Optional(deliveryChannel),
      trouble: Type.Optional(Type.Boolean()),
      after: Type.Optional(Type.String()),
      limit,
    }),
    answer: receiversSchema,
    async run(call) {
      const { channel, trouble, after, limit: count = defaultLimit } = call.query;
      const service = await serviceOf(call);
      if (channel === "webhook" && trouble !== true) return toWebhooksResponse(service, count, after);
      return toReceiversResponse(service, count, {
        ...(channel === undefined ? {} : { channel }),
        ...(trouble === true ? { isFailing: true } : {}),
        ...(after === undefined ? {} : { after: cursorOf(after) }),
      });
    },
  }),
  route({
    method: "GET",
    path: "/api/deliveries/receivers/{resource}/{receiver}",
    does: "one receiver: its state, the events that it may receive, and its attempts of the last hour",
    answer: receiverSchema,
    async run(call) {
      const space = await call.space();
      const { service } = space;
      const named = { resource: call.parameter("resource"), receiver: call.parameter("receiver") };
      const { resource, row } = await knownReceiver(service, named);
      return toReceiverResponse(space, { channel: "webhook", resource, row });
    },
  }),
  route({
    method: "GET",
    path: "/api/deliveries/{id}",
    does: "one delivery: its payload, its last attempts with their responses, and the state of its receiver",
    answer: detailSchema,
    run: async (call) => toDeliveryDetailResponse(await serviceOf(call), call.parameter("id")),
  }),
  route({
    method: "POST",
    path: "/api/deliveries/pause",
    does: "pauses all deliveries, or those to one `receiver` (with its `resource`)",
    body: fields(receiverFields),
    answer: pausedSchema,
    run: (call) => setPaused(call, true),
  }),
  route({
    method: "POST",
    path: "/api/deliveries/resume",
    does: "resumes deliveries, and responds when the waiting ones were attempted",
    body: fields(receiverFields),
    answer: pausedSchema,
    run: (call) => setPaused(call, false),
  }),
  route({
    method: "POST",
    path: "/api/deliveries/redeliver",
    does: 'sends deliveries again: by `id`, `event`, `receiver`, `state` ("dead"), or `from` one time `until` another',
    body: fields({
      ...filterFields,
      count: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: "the displayed number: if it has changed, nothing is sent",
        }),
      ),
    }),
    answer: fields({ redelivered: Type.Integer() }),
    async run(call) {
      const service = await serviceOf(call);
      const { count } = call.body;
      const filter = await filterOf(service, call.body);
      if (Object.keys(filter).length === 0)
        throw badRequest('Send {"event": "evt_…"}, {"state": "dead"}, {"from": "2026-12-01T00:00:00Z"} …');
      if (count !== undefined) await expectCount(service, filter, count);
      const redelivered = await service.deliveries.redeliver(filter);
      await service.deliveries.idle();
      return { redelivered };
    },
  }),
  route({
    method: "POST",
    path: "/api/deliveries/disable",
    does: "disables a `receiver` (with its `resource`) until its record changes or it is enabled; pending deliveries are dropped",
    body: fields(receiverFields),
    answer: fields({ disabled: Type.String() }),
    async run(call) {
      const service = await serviceOf(call);
      const receiver = await knownReceiver(service, call.body);
      await service.deliveries.disable(receiver, receiver.revision);
      return { disabled: call.body.receiver ?? "" };
    },
  }),
  route({
    method: "POST",
    path: "/api/deliveries/test",
    does: "sends the last event of a `type` to a `receiver` (with its `resource`), signed and not stored; returns the response",
    body: fields({ ...receiverFields, type: Type.String({ maxLength: 200 }) }),
    answer: testSchema,
    async run(call) {
      const service = await serviceOf(call);
      const { resource, row } = await knownReceiver(service, call.body);
      const { type } = call.body;
      const [event] = await service.internals.context.store.session.system.log({ type }, 1);
      if (!event)
        throw new OperationRefusal(
          409,
          "No such event yet",
          `The log has no ${type.slice(0, 200)}. A test sends the last event of its type: cause one first.`,
        );
      const { tookMs, ...result } = await service.deliveries.test({ resource, row }, event.id);
      return { ...result, event: event.id, took_ms: tookMs };
    },
  }),
  route({
    method: "POST",
    path: "/api/deliveries/enable",
    does: "enables a `receiver` (with its `resource`) that responded with 410 again",
    body: fields(receiverFields),
    answer: fields({ enabled: Type.String() }),
    async run(call) {
      const service = await serviceOf(call);
      const { resource, row } = await knownReceiver(service, call.body);
      await service.deliveries.enable({ resource, row });
      return { enabled: call.body.receiver ?? "" };
    },
  }),
];

async function setPaused(
  call: Call<object, DeliveryParameters>,
  isPaused: boolean,
): Promise<Static<typeof pausedSchema>> {
  const service = await serviceOf(call);
  const { deliveries } = service;
  const receiver = await receiverOf(service, call.body);
  if (isPaused) await deliveries.pause(receiver);
  else await deliveries.resume(receiver);
  await deliveries.idle();
  return { paused: deliveries.isPaused, ...(receiver ? { receiver: call.body.receiver as string } : {}) };
}

/**
 * Checks that the number of deliveries is the one that the operator saw.
 * @throws OperationRefusal if it differs
 */
async function expectCount(service: Service, filter: DeliveryFilter, expectedCount: number): Promise<void> {
  const count = await service.deliveries.count(filter, countedMax);
  if (count === Math.min(expectedCount, countedMax)) return;
  const now = count === countedMax ? "more than 10,000" : String(count);
  throw new OperationRefusal(
    409,
    "Changed meanwhile",
    `These are ${now} deliveries now, and ${expectedCount} were shown. Nothing was sent. Load the deliveries again.`,
    { more: { count } },
  );
}

interface DeliveryParameters {
  readonly id?: string;
  readonly event?: string;
  readonly state?: Static<typeof deliveryState>;
  readonly failed?: boolean;
  readonly channel?: Static<typeof deliveryChannel>;
  readonly from?: string;
  readonly until?: string;
  readonly resource?: string;
  readonly receiver?: string;
}

/** @throws OperationRefusal | NoSuchRecord */
async function filterOf(service: Service, parameters: DeliveryParameters): Promise<DeliveryFilter> {
  const { id, event, from, until } = parameters;
  const receiver = await receiverOf(service, parameters);
  return {
    ...(id === undefined ? {} : { id }),
    ...(event === undefined ? {} : { eventId: event }),
    ...(parameters.state === undefined ? {} : { state: parameters.state }),
    ...(parameters.failed ? { hasFailed: true } : {}),
    ...(parameters.channel === undefined ? {} : { channel: parameters.channel }),
    ...(from === undefined ? {} : { from: timeOf("from", from) }),
    ...(until === undefined ? {} : { until: timeOf("until", until) }),
    ...(receiver ? { receiver: { resource: receiver.resource, row: receiver.row } } : {}),
  };
}

type NamedReceiver = ReceiverRecord & { readonly revision: number };

async function receiverOf(
  service: Service,
  { resource, receiver }: DeliveryParameters,
): Promise<NamedReceiver | undefined> {
  if (resource === undefined && receiver === undefined) return undefined;
  if (receiver === undefined)
    throw badRequest(
      'A receiver is a record. Name its resource as "resource", and its identifier as "receiver".',
    );
  const of = resource === undefined ? receivingResource(service) : resourceNamed(service.model, resource);
  const record = await findRecord(service, of, receiver);
  return { resource: of, row: record["#row"], revision: record["#revision"] };
}

/** @throws OperationRefusal | NoSuchRecord */
async function knownReceiver(service: Service, parameters: DeliveryParameters): Promise<NamedReceiver> {
  const receiver = await receiverOf(service, parameters);
  if (!receiver) throw badRequest('Send {"resource": "Hook", "receiver": "hok_…"}.');
  return receiver;
}

/**
 * The one resource whose records are receivers.
 * @throws OperationRefusal if there are several, or none
 */
function receivingResource({ model }: Service): string {
  const [only, ...others] = new Set(targetsOf(model).map((target) => target.resource));
  if (only === undefined || others.length > 0)
    throw badRequest(
      only === undefined
        ? "The document has no webhooks, so deliveries have no receiver."
        : `A receiver may be of ${[only, ...others].join(" or ")}. Name one as "resource".`,
    );
  return only;
}
