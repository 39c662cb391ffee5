/** Data space routes: list, create and remove the data spaces of a sandbox. */
import { type Static, Type } from "typebox";
import { OperationRefusal } from "../routing/refusal.ts";
import { fields, route } from "../routing/route.ts";
import { clockSchema, toClockResponse } from "../routing/shared-responses.ts";

export type SpacesResponse = Static<typeof spacesSchema>;

const spacesSchema = fields({
  spaces: Type.Array(fields({ space: Type.String(), clock: clockSchema, snapshots: Type.Integer() })),
});
const removedSchema = fields({ removed: Type.Array(Type.String()) });

export const spaceRoutes = [
  route({
    method: "GET",
    path: "/api/spaces",
    does: "the open data spaces, the least recently used first",
    isSpaceScoped: false,
    answer: spacesSchema,
    async run(call) {
      const all = await call.spaces().all();
      return {
        spaces: all.map((space) => ({
          space: space.name,
          clock: toClockResponse({ clock: space.clock, sandbox: space }),
          snapshots: space.snapshots.length,
        })),
      };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/spaces",
    does: "removes all data spaces except the default one",
    isSpaceScoped: false,
    answer: removedSchema,
    async run(call) {
      const spaces = call.spaces();
      const removed: string[] = [];
      for (const space of await spaces.all())
        if (space !== spaces.standard && (await spaces.remove(space.name))) removed.push(space.name);
      return { removed };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/spaces/{name}",
    does: "removes a data space with all its data",
    isSpaceScoped: false,
    answer: removedSchema,
    async run(call) {
      const name = call.parameter("name");
      if (await call.spaces().remove(name)) return { removed: [name] };
      throw new OperationRefusal(404, "No such data space", `There is no data space "${name.slice(0, 64)}".`);
    },
  }),
];
