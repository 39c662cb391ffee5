/** What everybody has to be told who looks at the service: its store takes no changes, or the document that was saved last isn't served. */
import { type Static, Type } from "typebox";
import type { Operated, OperatedSpace } from "../operated.ts";
import { lookEverySecond } from "./looking.ts";
import { fields, maybe, route } from "./route.ts";
import { topic } from "./topic.ts";

/** Also the value of the topic `trouble`. */
export type TroubleAnswer = Static<typeof troubleAnswer>;

const troubleAnswer = fields({
  store: maybe(Type.String({ description: "why no change is stored" })),
  document: maybe(
    fields({
      mistakes: Type.Integer({ description: "in the text that was saved last" }),
      line: Type.Integer({ description: "of the first one" }),
      reason: Type.String({ description: "why it isn't served" }),
    }),
  ),
});

export const troubleRoutes = [
  route({
    method: "GET",
    path: "/api/trouble",
    does: "what stands in the way: a store that is full or gone, a document that was saved with mistakes",
    answer: troubleAnswer,
    run: async (call) => troubleOf(call.operated, await call.space()),
  }),
];

export const troubleTopic = topic<TroubleAnswer>({
  name: "trouble",
  keeps: "latest",
  begin(space, push, operated) {
    let last = "";
    const look = () => {
      const trouble = troubleOf(operated, space);
      const text = JSON.stringify(trouble);
      if (text === last) return;
      last = text;
      push(trouble);
    };
    const stopLooking = lookEverySecond(operated.log, look);
    const stopWatching = operated.draft.watch(look);
    return () => {
      stopLooking();
      stopWatching();
    };
  },
  tell: (trouble) => trouble,
});

function troubleOf({ draft }: Operated, { service }: OperatedSpace): TroubleAnswer {
  const saved = draft.now;
  const mistakes =
    saved?.diagnostics.filter((one) => one.kind === "mistake" && one.severity === "error") ?? [];
  return {
    store: service.inside.context.store.status().trouble,
    document: saved && {
      mistakes: mistakes.length,
      line: mistakes[0]?.position.start.line ?? 1,
      reason: saved.reason,
    },
  };
}
