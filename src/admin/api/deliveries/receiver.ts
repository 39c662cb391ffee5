/**
 * Built-in receiver routes for testing webhooks: its addresses, its configured responses, and the
 * received requests.
 */
import { type Static, Type } from "typebox";
import { receiverNameForm } from "../../../engine/deliveries/built-in-receiver.ts";
import { subscribable, type SubscribedEvent, subscription } from "../../../engine/admin/subscription.ts";
import type { Service } from "../../../engine/service.ts";
import { type Received, receivedBy, receiverBehaviors } from "../../receiver/received-log.ts";
import { noSuchEvent } from "./log.ts";
import { recordOf } from "./undelivered-reason.ts";
import { createRecordByOperator } from "../records/record-changes.ts";
import { badRequest, OperationRefusal } from "../routing/refusal.ts";
import { toResourceResponse } from "../records/resources.ts";
import { fields, json, nullable, route, serviceOf, time } from "../routing/route.ts";

export type ReceiverResponse = Static<typeof receiverSchema>;
export type ReceivedResponse = Static<typeof receivedSchema>;

const manner = Type.Enum([...receiverBehaviors]);

const receivedSchema = fields({
  number: Type.Integer(),
  name: Type.String(),
  time,
  headers: Type.Array(Type.Tuple([Type.String(), Type.String()])),
  body: Type.String({ description: "as text" }),
  body_bytes: Type.Integer({ description: "its length; a longer text is truncated" }),
  status: Type.Integer({ description: "the response" }),
  answers: manner,
  delivery: nullable(Type.String({ description: "the delivery that it belongs to" })),
  event: nullable(fields({ id: Type.String(), type: Type.String() })),
  signature: Type.Enum(["fits", "does not fit", "unsigned", "not ours"]),
  scheme: nullable(Type.String({ description: "how it is signed" })),
  trouble: nullable(Type.String({ description: "why the signature is invalid" })),
});

const receiverSchema = fields({
  name: Type.String(),
  address: nullable(Type.String({ description: "null where the operations address isn't known" })),
  answers: manner,
  names: Type.Array(Type.String(), { description: "all that are in use" }),
  received: Type.Array(receivedSchema, { description: "newest first" }),
  subscriber: nullable(Type.String({ description: "a resource whose records webhooks go to" })),
});

export type SubscribedResponse = Static<typeof subscribedSchema>;

const subscribedSchema = fields({
  resource: Type.String(),
  id: nullable(Type.String({ description: "of the created record; null if values are missing" })),
  fields: Type.Record(Type.String(), json, { description: "the known values by field" }),
  lacks: Type.Array(Type.String(), { description: "fields whose values are missing" }),
});

const name = Type.Optional(Type.String({ description: "the name of a receiver; `webhooks` by default" }));

export const receiverRoutes = [
  route({
    method: "GET",
    path: "/api/receiver",
    does: "the built-in receiver of a `name`: its address, its response, and the received webhooks",
    query: fields({ name }),
    answer: receiverSchema,
    run: async (call) => toReceiverResponse(await serviceOf(call), nameOf(call.query)),
  }),
  route({
    method: "POST",
    path: "/api/receiver",
    does: "sets the response of the receiver of a `name`, to try retries",
    body: fields({ name, answers: manner }),
    answer: receiverSchema,
    async run(call) {
      const service = await serviceOf(call);
      receivedBy(service).setBehavior(nameOf(call.body), call.body.answers);
      return toReceiverResponse(service, nameOf(call.body));
    },
  }),
  route({
    method: "POST",
    path: "/api/receiver/subscribe",
    does: "creates the record that sends webhooks to the receiver of a `name`, for an `event` (its id) or for all; none if values are missing",
    body: fields({ name, event: Type.Optional(Type.String()) }),
    answer: subscribedSchema,
    async run(call) {
      const service = await serviceOf(call);
      return subscribe(service, nameOf(call.body), await eventNamed(service, call.body.event));
    },
  }),
  route({
    method: "DELETE",
    path: "/api/receiver",
    does: "deletes the webhooks that the receiver of a `name` received",
    query: fields({ name }),
    answer: receiverSchema,
    async run(call) {
      const service = await serviceOf(call);
      receivedBy(service).clear(nameOf(call.query));
      return toReceiverResponse(service, nameOf(call.query));
    },
  }),
];

/** @throws OperationRefusal */
async function eventNamed(service: Service, id: string | undefined): Promise<SubscribedEvent | undefined> {
  if (id === undefined) return undefined;
  const event = await service.internals.context.store.session.system.eventOf(id);
  if (!event) throw noSuchEvent(id);
  return { type: event.type, record: await recordOf(service, event) };
}

/** @throws OperationRefusal | FieldsRefused */
async function subscribe(
  service: Service,
  receiver: string,
  event: SubscribedEvent | undefined,
): Promise<SubscribedResponse> {
  const address = service.deliveries.builtIn.address(receiver);
  const target = subscribable(service, event?.type);
  if (address === null || !target)
    throw new OperationRefusal(
      409,
      "Nothing to create",
      address === null
        ? "The service has no operations address, so nothing can be sent to the receiver."
        : "Webhooks don't go to records of a resource. Part 6 states their receivers.",
    );
  const { resource, fields: known, lacks: compared } = await subscription(service, target, address, event);
  const needed = toResourceResponse(service, resource).fields.filter(
    (field) => field.required && !(field.name in known),
  );
  const lacks = [...new Set([...compared, ...needed.map((field) => field.name)])];
  if (lacks.length > 0) return { resource, id: null, fields: known, lacks };
  const { record } = await createRecordByOperator(service, resource, known);
  return { resource, id: record.id, fields: known, lacks };
}

/** @throws OperationRefusal */
function nameOf({ name = "webhooks" }: { readonly name?: string }): string {
  if (receiverNameForm.test(name)) return name;
  const message =
    'The name of a receiver has at most 64 letters, digits, ".", "_" and "-", and starts with a letter or a digit.';
  throw badRequest(message, [{ field: "name", message }]);
}

function toReceiverResponse(service: Service, name: string): ReceiverResponse {
  const log = receivedBy(service);
  return {
    name,
    address: service.deliveries.builtIn.address(name),
    answers: log.behaviorOf(name),
    names: [...new Set([...log.names(), name])].toSorted(),
    received: log.of(name).map(toReceivedResponse),
    subscriber: subscribable(service)?.resource ?? null,
  };
}

export function toReceivedResponse({ verdict, ...received }: Received): ReceivedResponse {
  return {
    number: received.number,
    name: received.name,
    time: new Date(received.timeMs).toISOString(),
    headers: received.headers.map(([header, value]) => [header, value]),
    body: new TextDecoder().decode(received.body),
    body_bytes: received.bodyBytes,
    status: received.status,
    answers: received.behavior,
    delivery: verdict.delivery,
    event: verdict.event,
    signature: verdict.signature,
    scheme: verdict.scheme,
    trouble: verdict.failure,
  };
}
