/** `concurrency` (part 8): how many requests may be under way at the same time, of the service, an address or a caller. In memory. */
import type { Endpoint, LimitsPart } from "../../model/model.ts";
import type { Exchange } from "../exchange.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../asking/evaluate.ts";
import { Problem } from "../problem.ts";
import type { Evaluate } from "../asking/scene.ts";
import { appliesTo } from "../../model/applies.ts";
import { holderKey } from "./limit.ts";

type ConcurrencyLimit = LimitsPart["concurrency"][number];

/** Takes a place for a request until what is answered is called. */
export type TakePlace = (exchange: Exchange) => Promise<() => void>;

/** Requests under way by limit and holder; endpoints that share a row share its count. */
export type PlacesTaken = ReadonlyMap<ConcurrencyLimit, Map<string, number>>;

export function createPlaces(limits: LimitsPart): PlacesTaken {
  return new Map(limits.concurrency.map((limit) => [limit, new Map<string, number>()]));
}

/** Undefined where no row is about the endpoint. */
export function planPlaces(
  context: PlanContext,
  endpoint: Endpoint,
  taken: PlacesTaken,
): { readonly needsCaller: boolean; readonly take: TakePlace } | undefined {
  const rows = context.model.limits.concurrency
    .filter((limit) => appliesTo(limit.applies, endpoint))
    .map((limit) => ({
      limit,
      counts: taken.get(limit) as Map<string, number>,
      ...(typeof limit.per === "object" ? { per: evaluateOf(context, limit.per) } : {}),
    }));
  if (rows.length === 0) return undefined;
  return {
    needsCaller: rows.some(({ limit }) => limit.per === "caller" || typeof limit.per === "object"),
    async take(exchange) {
      const mine: { readonly counts: Map<string, number>; readonly key: string }[] = [];
      const leave = () => {
        for (const { counts, key } of mine.splice(0)) {
          const left = (counts.get(key) ?? 1) - 1;
          if (left > 0) counts.set(key, left);
          else counts.delete(key);
        }
      };
      try {
        for (const { limit, counts, per } of rows as readonly Row[]) {
          const key = await holderKey(limit.per ?? "service", per, exchange);
          if (key === undefined) continue;
          const before = counts.get(key) ?? 0;
          if (before >= limit.count) throw tooMany(limit);
          counts.set(key, before + 1);
          mine.push({ counts, key });
        }
      } catch (error) {
        // Whoever isn't let in by all rows, or can't be told apart by one, has no place in any.
        leave();
        throw error;
      }
      return leave;
    },
  };
}

interface Row {
  readonly limit: ConcurrencyLimit;
  readonly counts: Map<string, number>;
  readonly per?: Evaluate;
}

function tooMany(limit: ConcurrencyLimit): Problem {
  return new Problem(
    {
      condition: "rate limited",
      problem: `is over the limit of ${limit.count} requests at the same time`,
      limitName: limit.name === "" ? "concurrency" : limit.name,
      limit: limit.count,
      retryAfterSeconds: 1,
    },
    { because: limit.position },
  );
}
