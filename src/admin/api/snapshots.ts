/** Snapshots of a data space. */
import { type Static, Type } from "typebox";
import type { Snapshot } from "../../engine/sandbox/snapshots.ts";
import { operatedSpaceOf } from "../operated.ts";
import { fields, route, time } from "./route.ts";
import { spaceAnswer, tellSpace } from "./tell.ts";

export type SnapshotAnswer = Static<typeof snapshotAnswer>;

const snapshotAnswer = fields({
  name: Type.String(),
  now: time,
  bytes: Type.Integer({ description: "of memory that it takes" }),
});

const nameType = Type.String({
  pattern: "^[^\\s/](?:[^\\r\\n/]{0,62}[^\\s/])?$",
  expects: "a name of at most 64 characters without a slash",
});

export const snapshotRoutes = [
  route({
    method: "GET",
    path: "/api/snapshots",
    does: "the snapshots of the data space",
    answer: fields({ snapshots: Type.Array(snapshotAnswer) }),
    run: async (call) => ({ snapshots: (await call.sandbox()).snapshots.map(tellSnapshot) }),
  }),
  route({
    method: "POST",
    path: "/api/snapshots",
    does: "takes one under a `name`: all records, events and timers, and the clock",
    body: fields({ name: nameType }),
    answer: snapshotAnswer,
    run: async (call) => tellSnapshot(await (await call.sandbox()).takeSnapshot(call.body.name)),
  }),
  route({
    method: "POST",
    path: "/api/snapshots/{name}/restore",
    does: "makes the data space what it was when the snapshot was taken",
    answer: spaceAnswer,
    async run(call) {
      const space = await call.sandbox();
      await space.restore(call.parameter("name"));
      return tellSpace(operatedSpaceOf(space));
    },
  }),
  route({
    method: "DELETE",
    path: "/api/snapshots/{name}",
    does: "forgets one",
    answer: fields({ removed: Type.String() }),
    async run(call) {
      const name = call.parameter("name");
      (await call.sandbox()).removeSnapshot(name);
      return { removed: name };
    },
  }),
];

function tellSnapshot({ name, nowMs, store }: Snapshot): SnapshotAnswer {
  return { name, now: new Date(nowMs).toISOString(), bytes: store.bytes };
}
