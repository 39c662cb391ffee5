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
    // The identifier of its record, as text.
    subject: types.string,
    payload: types.any,
    // To how many webhooks it goes.
    deliveries: types.integer,
    // Output fields that differ, with their old values.
    changes: { kind: "map", of: types.any },
  },
};

const { payload: _payload, ...beforePayload } = eventType.fields;

/** What `event` is in a payload itself, which isn't known while it is worked out. */
export const payloadEventType: Type = { kind: "object", fields: beforePayload };

const { changes: _changes, deliveries: _deliveries, ...logged } = eventType.fields;

/** What `event` is where the log is read (`Sends`, headers of webhooks, attempts): what the log keeps of it. */
export const loggedEventType: Type = { kind: "object", fields: logged };

/** What `delivery` is in the fields of `Delivery`: how far it has come. */
export const deliveryRecordType: Type = {
  kind: "object",
  fields: {
    id: types.string,
    // How many attempts were made.
    attempt: types.integer,
    // When the last one was.
    time: types.timestamp,
    state: { kind: "enum", values: ["pending", "delivered", "failed"] },
    // Of the last answer.
    status: types.integer,
    // How its body begins.
    answer: types.string,
    // How long the last attempt took.
    took: types.duration,
    error: types.string,
    // When the next attempt is due.
    next: types.timestamp,
  },
};

/** What `delivery` is in headers of webhooks: one attempt to bring one event to one address. */
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

/** What `delivery` is where its media type is chosen, of which its body is made. */
export const unwrittenDeliveryType: Type = { kind: "object", fields: beforeBody };
