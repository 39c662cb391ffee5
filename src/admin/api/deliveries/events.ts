/** Event log routes: list events, and read one with its deliveries. */
import { nonNull } from "../../../support/non-null.ts";
import { type Static, Type } from "typebox";
import { sandboxLimits } from "../../../engine/sandbox/limits.ts";
import type { Service } from "../../../engine/service.ts";
import type { LoggedEvent } from "../../../store/store.ts";
import type { Json } from "../../../support/json.ts";
import { fields, json, limit, defaultLimit, route, serviceOf, time } from "../routing/route.ts";

export type EventResponse = Static<typeof eventSchema>;

const eventSchema = fields({
  sequence: Type.Integer(),
  id: Type.String(),
  type: Type.String(),
  time,
  resource: Type.String(),
  subject: Type.String(),
  payload: json,
});

export const eventRoutes = [
  route({
    method: "GET",
    path: "/api/events",
    does: "events, oldest first: `after` a sequence number, of a `type`",
    query: fields({
      after: Type.Optional(Type.Integer({ minimum: 0 })),
      type: Type.Optional(Type.String()),
      limit,
    }),
    answer: fields({ events: Type.Array(eventSchema) }),
    async run(call) {
      const { after = 0, type, limit: count = defaultLimit } = call.query;
      const events = await readEvents(await serviceOf(call), after, count, type);
      return { events: events.map(toEventResponse) };
    },
  }),
];

function toEventResponse(event: LoggedEvent): EventResponse {
  const { sequence, id, type, time, resource, subject, payload } = event;
  return { sequence, id, type, time, resource, subject, payload: JSON.parse(payload) as Json };
}

async function readEvents(
  service: Service,
  after: number,
  count: number,
  type: string | undefined,
): Promise<readonly LoggedEvent[]> {
  const { system } = service.internals.context.store.session;
  const events: LoggedEvent[] = [];
  let sequence = after;
  while (events.length < count) {
    const page = await system.eventsAfter(sequence, sandboxLimits.pageMax);
    events.push(...page.filter((event) => type === undefined || event.type === type));
    if (page.length < sandboxLimits.pageMax) break;
    sequence = nonNull(page.at(-1)).sequence;
  }
  return events.slice(0, count);
}
