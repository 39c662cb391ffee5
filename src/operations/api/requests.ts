/** The last requests that the service has answered. */
import { Type } from "typebox";
import { fields, limit, limitStandard, maybe, route, time } from "./route.ts";

export const requestRoutes = [
  route({
    method: "GET",
    path: "/api/requests",
    does: "the last requests to the data space, oldest first",
    query: fields({ limit }),
    answer: fields({
      requests: Type.Array(
        fields({
          id: maybe(Type.String()),
          time,
          method: Type.String(),
          path: Type.String(),
          status: Type.Integer(),
        }),
      ),
    }),
    async run(call) {
      const { requests } = await call.sandbox();
      return { requests: requests.slice(-(call.query.limit ?? limitStandard)) };
    },
  }),
];
