/**
 * Type of `event` in expressions (3.6). Shapes of part 6 and `on create` of a log's resource see it
 * too.
 */
import { type Type, types } from "../../../expressions/type.ts";

export const eventType: Extract<Type, { kind: "object" }> = {
  kind: "object",
  fields: {
    id: types.string,
    type: types.string,
    time: types.timestamp,
    sequence: types.integer,
    // The identifier of the record, as text.
    subject: types.string,
    payload: types.any,
    // The number of webhooks that receive it.
    deliveries: types.integer,
    // Output fields that changed, with their former values.
    changes: { kind: "map", of: types.any },
  },
};

const { payload: _payload, ...beforePayload } = eventType.fields;

/** Type of `event` in a payload, without the payload itself. */
export const payloadEventType: Type = { kind: "object", fields: beforePayload };

const { changes: _changes, deliveries: _deliveries, ...logged } = eventType.fields;

/** Type of `event` if it is read from the log (`Sends`, headers of webhooks, attempts): what the log stores. */
export const loggedEventType: Type = { kind: "object", fields: logged };

/** Type of `delivery` in the fields of `Delivery`: its progress. */
export const deliveryRecordType: Type = {
  kind: "object",
  fields: {
    id: types.string,
    // The number of attempts.
    attempt: types.integer,
    // The time of the last attempt.
    time: types.timestamp,
    state: { kind: "enum", values: ["pending", "delivered", "failed"] },
    // The status of the last response.
    status: types.integer,
    // The start of its body.
    answer: types.string,
    // Its headers, by lower-case name.
    headers: { kind: "map", of: types.string },
    // The duration of the last attempt.
    took: types.duration,
    error: types.string,
    // The time of the next attempt.
    next: types.timestamp,
  },
};

/** Type of `delivery` in headers of webhooks: one attempt to send an event to an address. */
export const deliveryType: Extract<Type, { kind: "object" }> = {
  kind: "object",
  fields: {
    id: types.string,
    attempt: types.integer,
    time: types.timestamp,
    body: types.string,
    form: { kind: "map", of: types.any },
    url: types.string,
  },
};

const { body: _body, form: _form, ...beforeBody } = deliveryType.fields;

/** Type of `delivery` where its media type is chosen, before its body is serialized. */
export const deliveryTypeBeforeBody: Type = { kind: "object", fields: beforeBody };

const { url: _url, ...beforeRequest } = beforeBody;

/** Type of `delivery` where its method and URL are chosen. */
export const deliveryTypeBeforeRequest: Type = { kind: "object", fields: beforeRequest };
