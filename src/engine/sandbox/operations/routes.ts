/** What can be asked of a sandbox, one route each. `docs/guides/sandbox.md` lists them for people. */
import { readRfc3339 } from "../../../fields/types/timestamp.ts";
import type { LoggedEvent } from "../../../store/store.ts";
import type { Json } from "../../../support/json.ts";
import { durationMs } from "../../../support/quantity.ts";
import { listRecords } from "../../edit-records.ts";
import { sandboxLimits } from "../limits.ts";
import { SandboxRefusal } from "../refusal.ts";
import type { Space } from "../space.ts";
import { badRequest, type Call, type Taken, wantedCount, wantedNumber } from "./call.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { recordsOf, seedOf } from "./give.ts";
import { resourceNamed } from "./resource-named.ts";
import { tellClock, tellEvent, tellMade, tellRecord, tellSnapshot, tellSpace } from "./tell.ts";

export interface OperationRoute extends Taken {
  readonly method: "GET" | "POST" | "DELETE";
  /** `/snapshots/{name}` */
  readonly path: string;
  /** In a few words, for the overview. */
  readonly does: string;
  run(call: Call): Promise<object>;
}

const snapshotNameForm = /^[^\s/](?:[^\r\n/]{0,62}[^\s/])?$/;
/** The last moment that a timestamp can be. */
type ClockTarget = Parameters<Space["move"]>[0];
const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

const overview: OperationRoute = {
  method: "GET",
  path: "/",
  does: "what this is, and the data space",
  async run(call) {
    const { options } = call.spaces;
    return {
      document: options.model.name,
      service: options.service.origin(),
      space_header: options.spaceHeader,
      spaces_max: options.spacesMax,
      ...(await tellSpace(await call.space())),
      operations: routes.map((route) => `${route.method} ${route.path}: ${route.does}`),
    };
  },
};

const filling: readonly OperationRoute[] = [
  {
    method: "POST",
    path: "/reset",
    does: "empties the data space and begins anew, with the seed and the machine's time",
    body: { seed: "yes or no" },
    async run(call) {
      const space = await call.space();
      const made = await space.reset(call.body["seed"] !== false);
      return { made, ...(await tellSpace(space)) };
    },
  },
  {
    method: "POST",
    path: "/seed",
    does: "adds the records of a seed: `markdown`, a `scenario`'s beginning, or the seed it was started with",
    body: { markdown: "text", scenario: "text" },
    async run(call) {
      const space = await call.space();
      const made = await space.give(seedOf(call.body, space, call.spaces.options.seed));
      return { records: made.map((one) => tellMade(one, space)) };
    },
  },
  {
    method: "POST",
    path: "/records",
    does: 'adds records: `given` is one or several `Shop with name = "Ada" as ada`; with `events`, they\'re told',
    body: { given: "text or list of texts", events: "yes or no" },
    async run(call) {
      const space = await call.space();
      const made = await space.give(recordsOf(call.body, space), { events: call.body["events"] === true });
      return { records: made.map((one) => tellMade(one, space)) };
    },
  },
  {
    method: "GET",
    path: "/records",
    does: "the records of a `resource`",
    query: ["resource", "limit"],
    async run(call) {
      const space = await call.space();
      const resource = resourceNamed(space, call.query["resource"]);
      const records = await listRecords(space.service, resource, undefined, wantedCount(call.query["limit"]));
      return { records: records.map((record) => tellRecord(space, resource, record)) };
    },
  },
];

const snapshots: readonly OperationRoute[] = [
  {
    method: "GET",
    path: "/snapshots",
    does: "the snapshots of the data space",
    run: async (call) => ({ snapshots: (await call.space()).snapshots.map(tellSnapshot) }),
  },
  {
    method: "POST",
    path: "/snapshots",
    does: "takes one under a `name`: all records, events and timers, and the clock",
    body: { name: "text" },
    async run(call) {
      const name = call.body["name"];
      if (typeof name !== "string" || !snapshotNameForm.test(name))
        throw badRequest('"name" says how the snapshot is called, in at most 64 characters without a slash.');
      return tellSnapshot(await (await call.space()).takeSnapshot(name));
    },
  },
  {
    method: "POST",
    path: "/snapshots/{name}/restore",
    does: "makes the data space what it was when the snapshot was taken",
    async run(call) {
      const space = await call.space();
      await space.restore(call.parameters["name"] as string);
      return tellSpace(space);
    },
  },
  {
    method: "DELETE",
    path: "/snapshots/{name}",
    does: "forgets one",
    async run(call) {
      const name = call.parameters["name"] as string;
      (await call.space()).removeSnapshot(name);
      return { removed: name };
    },
  },
];

const time: readonly OperationRoute[] = [
  {
    method: "GET",
    path: "/clock",
    does: "what time it is in the data space",
    run: async (call) => tellClock((await call.space()).clock),
  },
  {
    method: "POST",
    path: "/clock",
    does: 'moves it: `advance` by "14 days", or to `now`; `stopped` lets it stand still or go on',
    body: { advance: "text", now: "text", stopped: "yes or no" },
    async run(call) {
      const { advance, now, stopped } = call.body;
      if (advance === undefined && now === undefined && stopped === undefined)
        throw badRequest('Say {"advance": "14 days"}, {"now": "2026-12-01T00:00:00Z"} or {"stopped": true}.');
      const space = await call.space();
      const to = targetOf(space, advance, now);
      if (stopped === true) await space.setStopped(true);
      if (to) await space.move(to);
      if (stopped === false) await space.setStopped(false);
      return tellClock(space.clock);
    },
  },
];

const looking: readonly OperationRoute[] = [
  {
    method: "GET",
    path: "/events",
    does: "what has happened, oldest first: `after` a sequence number, of a `type`, at most `limit`",
    query: ["after", "type", "limit"],
    async run(call) {
      const space = await call.space();
      const after = wantedNumber("after", call.query["after"]) ?? 0;
      const events = await readEvents(space, after, wantedCount(call.query["limit"]), call.query["type"]);
      return { events: events.map(tellEvent) };
    },
  },
  {
    method: "GET",
    path: "/requests",
    does: "the last requests to the data space, oldest first",
    query: ["limit"],
    async run(call) {
      const { requests } = await call.space();
      return { requests: requests.slice(-wantedCount(call.query["limit"])) };
    },
  },
];

const spaces: readonly OperationRoute[] = [
  {
    method: "GET",
    path: "/spaces",
    does: "the data spaces that are open, the one that was used longest ago first",
    async run(call) {
      const all = await call.spaces.all();
      return {
        spaces: all.map((space) => ({
          space: space.name,
          clock: tellClock(space.clock),
          snapshots: space.snapshots.length,
        })),
      };
    },
  },
  {
    method: "DELETE",
    path: "/spaces",
    does: "takes all away but the default one",
    async run(call) {
      const removed: string[] = [];
      for (const space of await call.spaces.all())
        if (space !== call.spaces.standard && (await call.spaces.remove(space.name)))
          removed.push(space.name);
      return { removed };
    },
  },
  {
    method: "DELETE",
    path: "/spaces/{name}",
    does: "takes one away, with all that is in it",
    async run(call) {
      const name = call.parameters["name"] as string;
      if (await call.spaces.remove(name)) return { removed: [name] };
      throw new SandboxRefusal(404, "No such data space", `There is no data space "${name}".`);
    },
  },
];

export const routes: readonly OperationRoute[] = [
  overview,
  ...filling,
  ...snapshots,
  ...time,
  ...looking,
  ...deliveryRoutes,
  ...spaces,
];

async function readEvents(
  space: Space,
  after: number,
  count: number,
  type: string | undefined,
): Promise<readonly LoggedEvent[]> {
  const { system } = space.service.inside.context.store.session;
  const events: LoggedEvent[] = [];
  let sequence = after;
  while (events.length < count) {
    const page = await system.eventsAfter(sequence, sandboxLimits.pageMax);
    events.push(...page.filter((event) => type === undefined || event.type === type));
    if (page.length < sandboxLimits.pageMax) break;
    sequence = (page.at(-1) as LoggedEvent).sequence;
  }
  return events.slice(0, count);
}

/** Where the clock is to go, or undefined where it isn't to be moved. @throws SandboxRefusal */
function targetOf(space: Space, advance: Json | undefined, now: Json | undefined): ClockTarget | undefined {
  if (advance !== undefined && now !== undefined)
    throw badRequest('Either "advance" or "now" says where the clock goes, not both.');
  if (typeof now === "string") {
    const read = readRfc3339(now);
    if (read === undefined) throw badRequest('"now" is a timestamp such as 2026-12-01T00:00:00Z.');
    return { timeMs: Date.parse(read) };
  }
  if (typeof advance !== "string") return undefined;
  const milliseconds = durationMs(advance);
  if (milliseconds === undefined) throw badRequest('"advance" is a length of time such as "14 days".');
  if (space.clock.now() + milliseconds > latestMs)
    throw badRequest("No timestamp is later than the year 9999.");
  return { byMs: milliseconds };
}
