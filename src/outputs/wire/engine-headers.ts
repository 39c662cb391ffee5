/** Response headers that the engine adds: the state of the rates, and the end of a version. */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { appliesTo } from "../../model/limits/applies.ts";
import type { Endpoint } from "../../model/model.ts";
import type { WireContext } from "./context.ts";
import type { WireHeader, WireVersion } from "./wire.ts";

const text: JsonSchema = { type: "string" };

export function rateHeaders({ model }: WireContext, endpoint: Endpoint): readonly WireHeader[] {
  const { rateHeaders: kind, rateHeadersOf, rates } = model.limits;
  const responseSchemas = rates.filter(
    ({ name }) => rateHeadersOf === undefined || rateHeadersOf === (name || "rate"),
  );
  if (
    kind === undefined ||
    kind === "none" ||
    !responseSchemas.some((rate) => appliesTo(rate.applies, endpoint))
  )
    return [];
  const header = (name: string, description: string, schema: JsonSchema = text): WireHeader => ({
    name,
    schema,
    required: false,
    description,
  });
  if (kind === "RateLimit")
    return [
      header("RateLimit-Policy", "The rate limits of this request."),
      header("RateLimit", "The remaining requests, and the seconds until the limit resets."),
    ];
  const names = {
    limit: "X-RateLimit-Limit",
    remaining: "X-RateLimit-Remaining",
    used: "X-RateLimit-Used",
    reset: "X-RateLimit-Reset",
    "reset as unix seconds": "X-RateLimit-Reset",
  } as const;
  const words = {
    limit: "The number of allowed requests.",
    remaining: "The number of remaining requests.",
    used: "The number of requests so far.",
    reset: "The seconds until the limit resets.",
    "reset as unix seconds": "The time at which the limit resets, in Unix seconds.",
  } as const;
  return kind.fields.map((field) => header(names[field], words[field], { type: "integer", format: "int64" }));
}

export function lifecycleHeaders(
  version: WireVersion | undefined,
  { deprecated }: Endpoint,
): readonly WireHeader[] {
  const old = version?.status === "deprecated" ? version : undefined;
  const since = deprecated?.since ?? old?.deprecatedSince;
  const until = deprecated?.until ?? old?.until;
  const header = (name: string, description: string): WireHeader => ({
    name,
    schema: text,
    required: true,
    description,
  });
  return [
    ...(since === undefined
      ? []
      : [
          header(
            "Deprecation",
            `The date since which this ${deprecated?.since === undefined ? "version" : "operation"} is deprecated (RFC 9745).`,
          ),
        ]),
    ...(until === undefined
      ? []
      : [
          header(
            "Sunset",
            `The date until which this ${deprecated?.until === undefined ? "version" : "operation"} is served (RFC 8594).`,
          ),
        ]),
  ];
}
