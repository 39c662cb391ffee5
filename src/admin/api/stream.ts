/** Stream route: one stream of server-sent events with all topics that a client selects. */
import { Type } from "typebox";
import { nearest } from "../../support/nearest.ts";
import { badRequest } from "./routing/refusal.ts";
import { fields, json, streamingRoute } from "./routing/route.ts";
import type { Topic } from "../context.ts";
import { topics } from "./topics.ts";

/**
 * The `data` of an event. The event has the name of its topic. A stream starts with the event
 * `begin`.
 */
const frameSchema = Type.Union([
  fields({
    space: Type.String(),
    topics: Type.Array(Type.String()),
    resumed: Type.Boolean({ description: "whether no frame was missed since Last-Event-ID" }),
  }),
  fields({
    rows: Type.Array(json),
    left_out: Type.Integer({ description: "further rows, which are not in any frame" }),
  }),
  fields({ value: json }),
]);

export const streamRoutes = [
  streamingRoute({
    method: "GET",
    path: "/api/stream",
    does: "live updates as server-sent events: `topics` by name, separated by commas; resumes after `Last-Event-ID`",
    query: fields({ topics: Type.String() }),
    answer: frameSchema,
    async run(call) {
      const { admin, signal, headers } = call;
      const requestedTopics = topicsNamed(call.query.topics);
      const space = await call.space();
      const lastId = headers["last-event-id"];
      return admin.hub.open({ topics: requestedTopics, space, admin, lastId, signal });
    },
  }),
];

/** @throws OperationRefusal */
function topicsNamed(text: string): readonly Topic[] {
  return [...new Set(text.split(","))].map((name) => {
    const found = topics.find((topic) => topic.name === name);
    if (found) return found;
    const known = topics.map((topic) => topic.name);
    const suggestion = nearest(name, known);
    throw badRequest(
      `There is no topic "${name.slice(0, 100)}". ${suggestion === undefined ? `There are ${known.join(", ")}.` : `Did you mean "${suggestion}"?`}`,
    );
  });
}
