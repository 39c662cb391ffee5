/**
 * Events as OpenAPI webhooks: the message that a receiver gets, and the headers that authenticate
 * it.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { camel, createNames } from "../wire/names.ts";
import type { Wire, WireEvent, WireWebhooks } from "../wire/wire.ts";

export function webhookItems(wire: Wire): JsonSchema {
  const { webhooks } = wire;
  if (!webhooks) return {};
  const names = createNames(wire.operations.map((operation) => operation.id));
  return Object.fromEntries(
    wire.events
      .filter((event) => event.toWebhooks)
      .map((event) => [
        event.name,
        Object.fromEntries(
          webhooks.methods.map((method, at) => [
            method.toLowerCase(),
            {
              operationId: names.take([camel(`on ${event.name}${at === 0 ? "" : ` ${method}`}`)], {
                subject: `the webhook ${event.name}`,
                position: event.event.position,
              }),
              ...messageOf(event, webhooks),
            },
          ]),
        ),
      ]),
  );
}

function messageOf(event: WireEvent, webhooks: WireWebhooks): JsonSchema {
  return {
    summary: event.name,
    description: event.when === "" ? `Sent for ${event.name}.` : `Sent when: ${event.when}.`,
    parameters: webhooks.headers.map((header) => ({
      name: header.name,
      in: "header",
      required: header.required,
      ...(header.description === "" ? {} : { description: header.description }),
      schema: header.schema,
    })),
    requestBody: {
      required: true,
      content: Object.fromEntries(
        webhooks.mediaTypes.map((type) => [type, { schema: schemaIn(type, event.schema, webhooks) }]),
      ),
    },
    responses: {
      "2XX": { description: "The receiver accepted the delivery. Any other status causes a retry." },
      "4XX": { description: "The receiver rejected the delivery." },
    },
    security: [],
  };
}

/** A form may hold the payload as a text of JSON. */
function schemaIn(type: string, schema: JsonSchema, { jsonInForms }: WireWebhooks): JsonSchema {
  if (jsonInForms === undefined || type !== "application/x-www-form-urlencoded") return schema;
  const text = { type: "string", contentMediaType: "application/json", contentSchema: schema };
  return { type: "object", properties: { [jsonInForms]: text }, required: [jsonInForms] };
}
