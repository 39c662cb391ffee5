/** Due transitions: the timed transitions that run next in a data space. */
import { type Static, Type } from "typebox";
import { rowEquals } from "../../../engine/evaluation/nodes.ts";
import { retentionTimer } from "../../../store/timer-setting.ts";
import type { DueTimer } from "../../../store/store.ts";
import type { AdminSpace } from "../../context.ts";
import { fields, nullable, route, time } from "../routing/route.ts";
import { bind } from "../../../expressions/parameters.ts";

/** The maximum number of transitions in a list; the earliest come first. */
const listedMax = 20;

const dueSchema = fields({
  due: Type.Array(
    fields({
      at: time,
      resource: Type.String(),
      id: Type.String({ description: "of the record" }),
      transition: Type.Union([Type.String(), Type.Null()], {
        description: "null where the record expires",
      }),
      line: nullable(Type.Integer()),
    }),
  ),
});

export type DueResponse = Static<typeof dueSchema>;
type Due = DueResponse["due"][number];

export const dueRoutes = [
  route({
    method: "GET",
    path: "/api/clock/due",
    does: `what is due next, the soonest first: at most ${listedMax}`,
    answer: dueSchema,
    async run(call) {
      const space = await call.space();
      const { system } = space.service.internals.context.store.session;
      const timers = await system.dueTimers(Number.MAX_SAFE_INTEGER, listedMax);
      const due: Due[] = [];
      for (const timer of timers) {
        const response = await toDueResponse(timer, space);
        if (response) due.push(response);
      }
      return { due };
    },
  }),
];

/**
 * Describes a scheduled transition. Undefined if the document no longer has it: it then has no
 * effect.
 */
async function toDueResponse({ resource, row, transition, end, dueAt }: DueTimer, space: AdminSpace) {
  const { context, newFrame } = space.service.internals;
  if (!context.model.resources.some(({ name }) => name === resource)) return undefined;
  const plan = context.resource(resource);
  const query = context.store.prepareRecords({ resource, where: [rowEquals(resource)], order: [] });
  const record = await context.store.session.record(query, bind(newFrame(space.clock.now()), { row }));
  if (!record) return undefined;
  const isRetention = transition === retentionTimer;
  const place = isRetention
    ? plan.resource.kept?.position
    : plan.resource.states?.transitions.find(({ name }) => name === transition)?.ends[end]?.position;
  return {
    at: new Date(dueAt).toISOString(),
    resource,
    id: plan.nameOf(record),
    transition: isRetention ? null : transition,
    line: place?.start.line ?? null,
  };
}
