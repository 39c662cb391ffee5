/** Clock routes: read, set and advance the time of a data space. */
import { type Static, Type } from "typebox";
import type { Space } from "../../../engine/sandbox/space.ts";
import { readRfc3339 } from "../../../fields/types/timestamp.ts";
import { durationMs } from "../../../support/quantity.ts";
import { badRequest } from "../routing/refusal.ts";
import { fields, route } from "../routing/route.ts";
import { clockSchema, toClockResponse } from "../routing/shared-responses.ts";

export type ClockResponse = Static<typeof clockSchema>;

/** The latest moment that a timestamp can express. */
const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

export const clockRoutes = [
  route({
    method: "GET",
    path: "/api/clock",
    does: "the time in the data space",
    answer: clockSchema,
    run: async (call) => toClockResponse(await call.space()),
  }),
  route({
    method: "POST",
    path: "/api/clock",
    does: 'moves the clock: `advance` by "14 days", or to `now`; `stopped` stops or starts it',
    body: fields({
      advance: Type.Optional(Type.String()),
      now: Type.Optional(Type.String()),
      stopped: Type.Optional(Type.Boolean()),
    }),
    answer: clockSchema,
    async run(call) {
      const { advance, now, stopped } = call.body;
      const space = await call.sandbox();
      if (advance === undefined && now === undefined && stopped === undefined)
        throw badRequest(
          'Send {"advance": "14 days"}, {"now": "2026-12-01T00:00:00Z"} or {"stopped": true}.',
        );
      const to = targetOf(space, advance, now);
      if (stopped === true) await space.setStopped(true);
      if (to) await space.move(to);
      if (stopped === false) await space.setStopped(false);
      return toClockResponse({ clock: space.clock, sandbox: space });
    },
  }),
];

/**
 * The time to set the clock to, or undefined if the body changes no time.
 * @throws OperationRefusal
 */
function targetOf(
  space: Space,
  advance: string | undefined,
  now: string | undefined,
): Parameters<Space["move"]>[0] | undefined {
  if (advance !== undefined && now !== undefined)
    throw badRequest('Send either "advance" or "now", not both.');
  if (now !== undefined) {
    const read = readRfc3339(now);
    if (read === undefined) throw wrong("now", '"now" must be a timestamp such as 2026-12-01T00:00:00Z.');
    return { timeMs: Date.parse(read) };
  }
  if (advance === undefined) return undefined;
  const milliseconds = durationMs(advance);
  if (milliseconds === undefined)
    throw wrong("advance", '"advance" must be a length of time such as "14 days".');
  if (space.clock.now() + milliseconds > latestMs)
    throw wrong("advance", "A timestamp can't be later than the year 9999.");
  return { byMs: milliseconds };
}

function wrong(field: string, message: string) {
  return badRequest(message, [{ field, message }]);
}
