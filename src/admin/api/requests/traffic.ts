/** Traffic of the last hour: requests by endpoint, with rates and latencies by minute. */
import { type Static, Type } from "typebox";
import { type HourOf, minutesRetained, type TrafficMinute } from "../../overview/hourly-traffic.ts";
import { hourlyTrafficOf } from "../../overview/live.ts";
import { fields, nullable, route } from "../routing/route.ts";

const milliseconds = nullable(Type.Number({ description: "null without requests" }));

const minuteFields = {
  requests: Type.Integer(),
  errors: Type.Integer({ description: "responses with 5xx, or failed attempts" }),
  refused: Type.Integer({ description: "responses with 4xx" }),
  p50_ms: milliseconds,
  p95_ms: milliseconds,
};

/** Figures of the last hour, with a history by minute. */
export const hourFields = {
  ...minuteFields,
  p99_ms: milliseconds,
  history: Type.Array(fields(minuteFields), {
    description: "by minute, the oldest first; the current minute is the last",
  }),
};

const hourSchema = fields(hourFields);

export type HourResponse = Static<typeof hourSchema>;

const trafficSchema = fields({
  minutes: Type.Integer({ description: "the number of minutes counted, fewer after a start" }),
  endpoints: Type.Array(
    fields({
      endpoint: nullable(Type.String({ description: "as in its heading; null for paths without one" })),
      line: nullable(Type.Integer()),
      ...hourFields,
    }),
    { description: "ordered by the number of requests" },
  ),
});

export type TrafficResponse = Static<typeof trafficSchema>;

export function toHourResponse(hour: HourOf<unknown>): HourResponse {
  return {
    ...minuteOf(hour),
    p99_ms: hour.p99Ms,
    history: hour.minutes.map(minuteOf),
  };
}

const minuteOf = ({ requests, errors, refused, p50Ms, p95Ms }: TrafficMinute) => ({
  requests,
  errors,
  refused,
  p50_ms: p50Ms,
  p95_ms: p95Ms,
});

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
        endpoints: endpoints.map((hour) => ({
          endpoint: hour.key && `${hour.key.method} ${hour.key.path.text}`,
          line: hour.key?.position.start.line ?? null,
          ...toHourResponse(hour),
        })),
      };
    },
  }),
];
