/**
 * Alerts for every user of the console: the store accepts no changes, or the last saved document
 * isn't served.
 */
import { type Static, Type } from "typebox";
import type { AdminContext, AdminSpace } from "../../context.ts";
import { pollEverySecond } from "../stream/poll-every-second.ts";
import { fields, nullable, route } from "../routing/route.ts";
import { topic } from "../stream/topic.ts";

/** The value of the topic `trouble` has the same type. */
export type AlertsResponse = Static<typeof alertsSchema>;

const alertsSchema = fields({
  store: nullable(Type.String({ description: "why no change is stored" })),
  document: nullable(
    fields({
      mistakes: Type.Integer({ description: "in the last saved text" }),
      line: Type.Integer({ description: "of the first one" }),
      reason: Type.String({ description: "why it isn't served" }),
    }),
  ),
});

export const alertRoutes = [
  route({
    method: "GET",
    path: "/api/trouble",
    does: "problems of the service: a full or missing store, a document that was saved with mistakes",
    answer: alertsSchema,
    run: async (call) => alertsOf(call.admin, await call.space()),
  }),
];

export const alertsTopic = topic<AlertsResponse>({
  name: "trouble",
  delivers: "latest",
  start(space, push, admin) {
    let last = "";
    const check = () => {
      const alerts = alertsOf(admin, space);
      const text = JSON.stringify(alerts);
      if (text === last) return;
      last = text;
      push(alerts);
    };
    const stopLooking = pollEverySecond(admin.log, check);
    const stopWatching = admin.draft.watch(check);
    return () => {
      stopLooking();
      stopWatching();
    };
  },
  serialize: (alerts) => alerts,
});

function alertsOf({ draft }: AdminContext, { service }: AdminSpace): AlertsResponse {
  const saved = draft.now;
  const mistakes =
    saved?.diagnostics.filter(
      (diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error",
    ) ?? [];
  return {
    store: service.internals.context.store.status().obstacle,
    document: saved && {
      mistakes: mistakes.length,
      line: mistakes[0]?.position.start.line ?? 1,
      reason: saved.reason,
    },
  };
}
