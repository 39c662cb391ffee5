/** Events of part 6 and their webhook deliveries. */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { formType, parseMediaType } from "../../model/endpoints/media-type.ts";
import type { EventRow, EventsPart, EventTrigger } from "../../model/model.ts";
import { eventMembers } from "./answers.ts";
import type { WireContext } from "./context.ts";
import type { ValueSchema } from "./field-schemas.ts";
import { type ResponseSchemas, withNullability } from "./node-schemas.ts";
import type { WireEvent, WireHeader, WireWebhooks } from "./wire.ts";

export function wireEvents(context: WireContext, responseSchemas: ResponseSchemas): readonly WireEvent[] {
  const { events } = context.model;
  return events.events.map((event) => ({
    name: event.name,
    event,
    when: event.triggers.map(triggerWords).join(", "),
    schema: payloadSchema(context, event, responseSchemas),
    toWebhooks: event.to === undefined ? events.webhooks !== undefined : event.to !== "none",
  }));
}

function payloadSchema(context: WireContext, event: EventRow, responseSchemas: ResponseSchemas): JsonSchema {
  if (!event.payload || event.gap) return {};
  return withNullability(
    responseSchemas.of(event.payload.node, { fixed: { event: eventMembers(context, event.name) } }),
  );
}

function triggerWords(trigger: EventTrigger): string {
  const when = trigger.when ? ` when ${trigger.when.text}` : "";
  switch (trigger.kind) {
    case "transition":
      return `${trigger.resource} ${trigger.transition}${when}`;
    case "becomes":
      return `${trigger.resource} becomes ${trigger.state}${when}`;
    case "sent":
      return `sent${when}`;
    default:
      return `${trigger.resource} ${trigger.kind}${when}`;
  }
}

const text: JsonSchema = { type: "string" };

export function wireWebhooks(
  context: WireContext,
  responseSchemas: ResponseSchemas,
): WireWebhooks | undefined {
  const { events } = context.model;
  const own = events.events.flatMap((event) => (typeof event.to === "object" ? [event.position] : []));
  const position = events.webhooks?.position ?? own[0];
  if (!position) return undefined;
  const stated = events.mediaTypes.map(
    (mediaType) => parseMediaType(mediaType.mediaType)?.type ?? mediaType.mediaType,
  );
  // The default applies if no condition holds.
  const isCertain = events.mediaTypes.some((mediaType) => mediaType.when === undefined);
  const mediaTypes = [...new Set([...stated, ...(isCertain ? [] : ["application/json"])])];
  const ofForms = new Set(
    events.mediaTypes.filter((_, at) => stated[at] === formType).map(({ jsonIn }) => jsonIn),
  );
  const [jsonInForms] = ofForms.size === 1 ? ofForms : [];
  return {
    ...(jsonInForms === undefined ? {} : { jsonInForms }),
    methods: methodsOf(events),
    mediaTypes: mediaTypes.toSorted((a, b) => Number(a === formType) - Number(b === formType)),
    headers: webhookHeaders(context, responseSchemas),
    isSigned: events.signature !== undefined,
    ...(events.retriesMs ? { retriesMs: events.retriesMs } : {}),
    ...(events.timeoutMs === undefined ? {} : { timeoutMs: events.timeoutMs }),
    position,
  };
}

/** The methods in their order in the document, and POST if no request without a condition is stated. */
function methodsOf({ requests }: EventsPart): WireWebhooks["methods"] {
  const isCertain = requests.some(({ when }) => when === undefined);
  const stated = requests.map(({ method }) => method);
  return [...new Set(isCertain ? stated : [...stated, "POST" as const])];
}

function webhookHeaders(context: WireContext, responseSchemas: ResponseSchemas): readonly WireHeader[] {
  const { signature, headers } = context.model.events;
  const some = (schema: JsonSchema): ValueSchema => ({ schema, nullable: false });
  const delivery = {
    id: some(text),
    attempt: some({ type: "integer", format: "int64", minimum: 1 }),
    time: eventMembers(context)["time"] as ValueSchema,
    body: some(text),
    url: some(text),
  };
  const place = { fixed: { event: eventMembers(context), delivery } };
  const stated = headers.map(({ name, value }): WireHeader => {
    const { nullable } = responseSchemas.of(value.node, place);
    return { name, schema: text, required: !nullable, description: "" };
  });
  const standard: readonly WireHeader[] = signature
    ? [
        {
          name: "webhook-id",
          schema: text,
          required: true,
          description: "The delivery's id, the same at each attempt. Use it to ignore duplicates.",
        },
        {
          name: "webhook-timestamp",
          schema: { type: "string", pattern: "^[0-9]+$" },
          required: true,
          description: "The time of sending, in Unix seconds.",
        },
        {
          name: "webhook-signature",
          schema: text,
          required: true,
          description:
            "Standard Webhooks: `v1,` and the HMAC-SHA256 in base64 of `{webhook-id}.{webhook-timestamp}.{body}`, one or several, separated by spaces.",
        },
      ]
    : [];
  const own = new Set(stated.map((wireHeader) => wireHeader.name.toLowerCase()));
  return [...standard.filter((wireHeader) => !own.has(wireHeader.name)), ...stated];
}
