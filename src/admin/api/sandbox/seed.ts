/** Seed routes: create records from `Given` lines, and reset a data space. */
import { Type } from "typebox";
import { recordsOf, seedOf } from "../records/given.ts";
import { fields, route } from "../routing/route.ts";
import {
  recordSchema,
  spaceSchema,
  toCreatedResponse,
  toSpaceResponse,
} from "../routing/shared-responses.ts";
import { adminSpaceOf } from "../../create-context.ts";

const createdRecordsSchema = fields({ records: Type.Array(recordSchema) });

export const seedRoutes = [
  route({
    method: "POST",
    path: "/api/reset",
    does: "resets the data space to its seed (`seed` false: to no records) and to the machine's time",
    body: fields({ seed: Type.Optional(Type.Boolean()) }),
    answer: fields({ made: Type.Integer(), ...spaceSchema.properties }),
    async run(call) {
      const space = await call.sandbox();
      const made = await space.reset(call.body.seed !== false);
      return { made, ...(await toSpaceResponse(adminSpaceOf(space))) };
    },
  }),
  route({
    method: "POST",
    path: "/api/seed",
    does: "adds the records of a seed: `markdown`, a `scenario`'s beginning, or the seed it was started with",
    body: fields({ markdown: Type.Optional(Type.String()), scenario: Type.Optional(Type.String()) }),
    answer: createdRecordsSchema,
    async run(call) {
      const space = await call.space();
      const made = await space.createGiven(seedOf(call.body, space, call.admin.seed));
      return { records: made.map((created) => toCreatedResponse(created, space)) };
    },
  }),
  route({
    method: "POST",
    path: "/api/records",
    does: 'adds records: `given` is one or several `Shop with name = "Ada" as ada`; with `events`, their events are sent',
    body: fields({
      given: Type.Union([Type.String(), Type.Array(Type.String())]),
      events: Type.Optional(Type.Boolean()),
    }),
    answer: createdRecordsSchema,
    async run(call) {
      const space = await call.space();
      const made = await space.createGiven(recordsOf(call.body.given, space), {
        events: call.body.events === true,
      });
      return { records: made.map((created) => toCreatedResponse(created, space)) };
    },
  }),
];
