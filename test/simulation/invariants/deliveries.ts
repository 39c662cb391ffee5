/**
 * Invariants of deliveries: each is sent at its time, with bounded concurrency, in order where the
 * document states so, and finally to every receiver.
 */
import { attemptsKept } from "../../../src/store/deliveries.ts";
import { senderLimits } from "../../../src/engine/deliveries/limits.ts";
import { planRetries } from "../../../src/engine/deliveries/retry-policy.ts";
import type { Arrival } from "../network.ts";
import type { Invariant, Moment } from "../moment.ts";

/** The number of concurrent attempts stays within the limit per receiver and the limit of all. */
export const placesOfReceivers: Invariant = ({ network, world }) => {
  const open = network.arrivals.filter((arrival) => arrival.status === null && arrival.life === world.life);
  const byUrl = Map.groupBy(open, ({ url }) => url);
  const wrong = [...byUrl]
    .filter(([, some]) => some.length > senderLimits.perReceiverMax * 4)
    .map(([url, some]) => `${url} is sent ${some.length} at once`);
  return open.length > senderLimits.underWayMax ? [...wrong, `${open.length} are sent at once`] : wrong;
};

/** The store schedules the first attempt after a failure after the first pause, and so on. */
export const eachPause: Invariant = async ({ played, world, nowMs }) => {
  const policyOf = planRetries(played.model.events);
  const rows = await world.store.session.system.deliveries.list({ state: "open" }, 1_000);
  return rows.flatMap(({ id, channel, eventType, attempts, lastAt, dueAt }) => {
    const pauseMs = policyOf(eventType).pausesMs[attempts - 1];
    // A delivery that an operator has reopened is due at once.
    if (channel !== "webhook" || pauseMs === undefined || lastAt === null || dueAt === null || dueAt <= nowMs)
      return [];
    if (dueAt - lastAt >= pauseMs) return [];
    return [`${id} is due ${dueAt - lastAt} ms after its attempt ${attempts}, and not ${pauseMs}`];
  });
};

/** `in order`: each queue with open deliveries has exactly one that is due or being sent. */
export const oneOfEachQueue: Invariant = async ({ world }) => {
  const rows = await world.store.session.system.deliveries.list({ state: "open" }, 1_000);
  const queued = rows.filter(({ queue }) => queue !== null);
  const queues = Map.groupBy(
    queued,
    ({ channel, resource, row, queue }) => `${channel} ${resource} ${row} ${queue}`,
  );
  return [...queues].flatMap(([queue, open]) => {
    const due = open.filter(({ dueAt }) => dueAt !== null);
    return due.length === 1
      ? []
      : [`of ${open.length} that are open of ${queue}, ${due.length} are on their way`];
  });
};

/** Two attempts of one delivery by the same process are separated by the pause. */
export const pauses: Invariant = ({ played, network, world, after }) => {
  const policyOf = planRetries(played.model.events);
  const types = new Map(after.events.map((event) => [event.id, event.type]));
  const wrong: string[] = [];
  const byId = Map.groupBy(
    network.arrivals.filter(({ id, life }) => id !== "" && life === world.life),
    ({ id, url }) => `${id} ${url}`,
  );
  for (const [name, attempts] of byId) {
    const id = (attempts[0] as Arrival).id;
    const type = [...types].find(([event]) => id.includes(event))?.[1];
    const { pausesMs } = policyOf(type ?? "");
    const shortest = Math.min(...pausesMs);
    for (const [at, later] of attempts.entries()) {
      const earlier = attempts[at - 1];
      if (!earlier) continue;
      if (earlier.status === 200) wrong.push(`${name} has arrived, and is sent again`);
      else if (earlier.overAtMs === null) wrong.push(`${name} is sent twice at once`);
      else if (pausesMs.length > 0 && later.atMs - earlier.overAtMs < shortest)
        wrong.push(`${name} is tried again after ${later.atMs - earlier.overAtMs} ms`);
    }
  }
  return wrong;
};

/** `in order`: events of one record reach a receiver in the order in which they happened. */
export const inOrder: Invariant = async (moment) => {
  const { played, network, world } = moment;
  if (!played.model.events.deliveriesInOrder) return [];
  const rows = await world.store.session.system.deliveries.list({}, 1_000);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const wrong: string[] = [];
  const last = new Map<string, number>();
  for (const { id, url, status, life } of network.arrivals) {
    const row = byId.get(id);
    if (!row || row.queue === null || status !== 200 || life !== world.life) continue;
    const queue = `${row.resource} ${row.row} ${row.queue}`;
    if (row.event < (last.get(queue) ?? 0))
      wrong.push(`event ${row.event} of ${queue} reaches ${url} behind a later one`);
    last.set(queue, Math.max(row.event, last.get(queue) ?? 0));
  }
  return wrong;
};

/** The stored state of deliveries agrees with what receivers saw. */
export const reportedAsArrived: Invariant = async ({ network, world }) => {
  const rows = await world.store.session.system.deliveries.list({}, 1_000);
  const wrong: string[] = [];
  for (const { id, state, attempts, channel, error } of rows) {
    // A deleted receiver, or one without an address or a secret, receives nothing.
    if (channel !== "webhook" || /deleted|address|secret/.test(error ?? "")) continue;
    const seen = network.arrivals.filter((arrival) => arrival.id === id);
    // Only deliveries with an id can be distinguished.
    if (seen.length === 0) continue;
    if (state === "done" && !seen.some(({ status }) => status === 200))
      wrong.push(`${id} is recorded as delivered, and no receiver has accepted it`);
    if (attempts > seen.length && attempts <= attemptsKept)
      wrong.push(`${id} is recorded as tried ${attempts} times, and arrived ${seen.length} times`);
  }
  return wrong;
};

/** Checked at the end, after all receivers have succeeded for long: no delivery is open. */
export async function allDelivered({ world, network, nowMs }: Moment): Promise<readonly string[]> {
  const rows = await world.store.session.system.deliveries.list({ state: "open" }, 1_000);
  const paused = await world.store.session.system.deliveries.receivers({ isFailing: true }, 1_000);
  const stands = new Set(
    paused.filter((receiver) => receiver.isPaused).map(({ resource, row }) => `${resource} ${row}`),
  );
  const of = (resource: string, row: number) =>
    JSON.stringify(
      paused.find((receiver) => receiver.resource === resource && receiver.row === row) ?? "well",
    );
  return rows
    .filter(({ channel, resource, row }) => channel === "webhook" && !stands.has(`${resource} ${row}`))
    .map(
      ({ id, attempts, dueAt, resource, row }) =>
        `${id} is open after ${attempts} attempts, due at ${dueAt}, at ${nowMs}; ${network.arrivals.filter((arrival) => arrival.id === id).length} arrived; the receiver is ${of(resource, row)}`,
    );
}
