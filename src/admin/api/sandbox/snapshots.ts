/** Snapshot routes: list, create, restore and delete the snapshots of a data space. */
import { type Static, Type } from "typebox";
import type { Snapshot } from "../../../engine/sandbox/snapshots.ts";
import { fields, route, time } from "../routing/route.ts";
import { spaceSchema, toSpaceResponse } from "../routing/shared-responses.ts";
import { adminSpaceOf } from "../../create-context.ts";

export type SnapshotResponse = Static<typeof snapshotSchema>;

const snapshotSchema = fields({
  name: Type.String(),
  now: time,
  bytes: Type.Integer({ description: "its size in memory" }),
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
    answer: fields({ snapshots: Type.Array(snapshotSchema) }),
    run: async (call) => ({ snapshots: (await call.sandbox()).snapshots.map(toSnapshotResponse) }),
  }),
  route({
    method: "POST",
    path: "/api/snapshots",
    does: "creates a snapshot with a `name`: all records, events and timers, and the clock",
    body: fields({ name: nameType }),
    answer: snapshotSchema,
    run: async (call) => toSnapshotResponse(await (await call.sandbox()).takeSnapshot(call.body.name)),
  }),
  route({
    method: "POST",
    path: "/api/snapshots/{name}/restore",
    does: "restores the data space from a snapshot",
    answer: spaceSchema,
    async run(call) {
      const space = await call.sandbox();
      await space.restore(call.parameter("name"));
      return toSpaceResponse(adminSpaceOf(space));
    },
  }),
  route({
    method: "DELETE",
    path: "/api/snapshots/{name}",
    does: "deletes a snapshot",
    answer: fields({ removed: Type.String() }),
    async run(call) {
      const name = call.parameter("name");
      (await call.sandbox()).removeSnapshot(name);
      return { removed: name };
    },
  }),
];

function toSnapshotResponse({ name, nowMs, store }: Snapshot): SnapshotResponse {
  return { name, now: new Date(nowMs).toISOString(), bytes: store.bytes };
}
