/** Traffic of the last hour: requests by endpoint, with rates and latencies by minute. */
import { type Static, Type } from "typebox";
import { minutesRetained } from "../overview/hourly-traffic.ts";
import { hourlyTrafficOf } from "../overview/live.ts";
import { fields, nullable, route } from "./route.ts";

const milliseconds = nullable(Type.Number({ description: "null without requests" }));

const trafficSchema = fields({
  minutes: Type.Integer({ description: "the number of minutes counted, fewer after a start" }),
  endpoints: Type.Array(
    fields({
      endpoint: nullable(Type.String({ description: "as in its heading; null for paths without one" })),
      line: nullable(Type.Integer()),
      requests: Type.Integer(),
      errors: Type.Integer({ description: "responses with 5xx" }),
      refused: Type.Integer({ description: "responses with 4xx" }),
      p50_ms: milliseconds,
      p95_ms: milliseconds,
      p99_ms: milliseconds,
      history: Type.Array(
        fields({
          requests: Type.Integer(),
          errors: Type.Integer(),
          refused: Type.Integer(),
          p50_ms: milliseconds,
          p95_ms: milliseconds,
        }),
        { description: "by minute, the oldest first; the current minute is the last" },
      ),
    }),
    { description: "ordered by the number of requests" },
  ),
});

export type TrafficResponse = Static<typeof trafficSchema>;

export const trafficRoutes = [
  route({
    method: "GET",
    path: "/api/traffic",
    does: "the requests of the last hour by endpoint: number, statuses and durations",
    answer: trafficSchema,
    async run(call) {
      const endpoints = hourlyTrafficOf(await call.space()).lastHour();
      return {
        minutes: minutesRetained,
        endpoints: endpoints.map(({ endpoint, requests, errors, refused, minutes, ...took }) => ({
          endpoint: endpoint && `${endpoint.method} ${endpoint.path.text}`,
          line: endpoint?.position.start.line ?? null,
          requests,
          errors,
          refused,
          p50_ms: took.p50Ms,
          p95_ms: took.p95Ms,
          p99_ms: took.p99Ms,
          history: minutes.map(({ p50Ms, p95Ms, ...counted }) => ({
            ...counted,
            p50_ms: p50Ms,
            p95_ms: p95Ms,
          })),
        })),
      };
    },
  }),
];
