/** Deliveries of a data space: listed, paused, sent again. What a delivery is stands in `engine/deliveries/`. */
import { readRfc3339 } from "../../../fields/types/timestamp.ts";
import type { Json } from "../../../support/json.ts";
import type {
  DeliveryFilter,
  DeliveryRow,
  DeliveryState,
  ReceiverRecord,
} from "../../deliveries/deliveries.ts";
import { identifierOfRow, recordNamed } from "../../edit-records.ts";
import type { Space } from "../space.ts";
import { badRequest, type Call, wantedCount, wantedNumber } from "./call.ts";
import { resourceNamed } from "./resource-named.ts";
import type { OperationRoute } from "./routes.ts";

const receiverFields = { resource: "text", receiver: "text" } as const;
const states: readonly DeliveryState[] = ["open", "done", "dead"];

export const deliveryRoutes: readonly OperationRoute[] = [
  {
    method: "GET",
    path: "/deliveries",
    does: "what is sent of events, newest first: of an `event` (its id), a `state`, a `receiver` (with its `resource`)",
    query: ["id", "event", "state", "resource", "receiver", "before", "limit"],
    async run(call) {
      const space = await call.space();
      const before = wantedNumber("before", call.query["before"]);
      const filter = {
        ...(await filterOf(space, call.query)),
        ...(before === undefined ? {} : { before }),
      };
      const { deliveries } = space.service;
      const rows = await deliveries.list(filter, wantedCount(call.query["limit"]));
      return { paused: deliveries.isPaused, deliveries: await tellDeliveries(space, rows) };
    },
  },
  {
    method: "POST",
    path: "/deliveries/pause",
    does: "attempts nothing any more: no delivery, or none to one `receiver` (with its `resource`)",
    body: receiverFields,
    run: (call) => setPaused(call, true),
  },
  {
    method: "POST",
    path: "/deliveries/resume",
    does: "attempts what has waited, and ends when it was attempted",
    body: receiverFields,
    run: (call) => setPaused(call, false),
  },
  {
    method: "POST",
    path: "/deliveries/redeliver",
    does: 'sends again: by `id`, `event`, `receiver`, `state` ("dead"), or `from` one time `until` another',
    body: { ...receiverFields, id: "text", event: "text", state: "text", from: "text", until: "text" },
    async run(call) {
      const space = await call.space();
      const filter = await filterOf(space, call.body);
      if (Object.keys(filter).length === 0)
        throw badRequest(
          'Say which: {"event": "evt_…"}, {"state": "dead"}, {"from": "2026-12-01T00:00:00Z"} …',
        );
      const redelivered = await space.service.deliveries.redeliver(filter);
      await space.service.deliveries.idle();
      return { redelivered };
    },
  },
  {
    method: "POST",
    path: "/deliveries/enable",
    does: "a `receiver` (with its `resource`) that answered 410 gets deliveries again",
    body: receiverFields,
    async run(call) {
      const space = await call.space();
      const receiver = await receiverOf(space, call.body);
      if (!receiver) throw badRequest('Say which: {"resource": "Hook", "receiver": "hok_…"}.');
      await space.service.deliveries.enable(receiver);
      return { enabled: call.body["receiver"] };
    },
  },
];

async function setPaused(call: Call, isPaused: boolean): Promise<object> {
  const space = await call.space();
  const { deliveries } = space.service;
  const receiver = await receiverOf(space, call.body);
  if (isPaused) await deliveries.pause(receiver);
  else await deliveries.resume(receiver);
  await deliveries.idle();
  return { paused: deliveries.isPaused, ...(receiver ? { receiver: call.body["receiver"] } : {}) };
}

type Asked = Readonly<Record<string, Json | undefined>>;

/** @throws SandboxRefusal | NoSuchRecord */
async function filterOf(space: Space, asked: Asked): Promise<DeliveryFilter> {
  const { id, event, state, from, until } = asked;
  if (state !== undefined && !states.includes(state as DeliveryState))
    throw badRequest(`"state" is ${states.slice(0, -1).join(", ")} or ${states.at(-1)}.`);
  const receiver = await receiverOf(space, asked);
  return {
    ...(typeof id === "string" ? { id } : {}),
    ...(typeof event === "string" ? { eventId: event } : {}),
    ...(state === undefined ? {} : { state: state as DeliveryState }),
    ...(from === undefined ? {} : { from: timeOf("from", from) }),
    ...(until === undefined ? {} : { until: timeOf("until", until) }),
    ...(receiver ? { receiver } : {}),
  };
}

async function receiverOf(space: Space, { resource, receiver }: Asked): Promise<ReceiverRecord | undefined> {
  if (resource === undefined && receiver === undefined) return undefined;
  if (typeof resource !== "string" || typeof receiver !== "string")
    throw badRequest('A receiver is a record: "resource" and "receiver" (its identifier) go together.');
  const record = await recordNamed(space.service, resourceNamed(space, resource), receiver);
  return { resource, row: record["#row"] };
}

function timeOf(name: string, text: Json): number {
  const read = readRfc3339(String(text));
  if (read === undefined) throw badRequest(`"${name}" is a timestamp such as 2026-12-01T00:00:00Z.`);
  return Date.parse(read);
}

async function tellDeliveries(space: Space, rows: readonly DeliveryRow[]): Promise<readonly object[]> {
  const known = new Map<string, Json>();
  const told: object[] = [];
  for (const row of rows) {
    const name = `${row.resource} ${row.row}`;
    const receiver =
      known.get(name) ?? ((await identifierOfRow(space.service, row.resource, row.row)) as Json);
    known.set(name, receiver);
    told.push(tellDelivery(row, receiver));
  }
  return told;
}

/** @param receiver null where the record is gone */
function tellDelivery(row: DeliveryRow, receiver: Json) {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
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
    created: time(row.createdAt),
    due: time(row.dueAt),
    last: time(row.lastAt),
    ended: time(row.endedAt),
    status: row.status,
    error: row.error,
  };
}
