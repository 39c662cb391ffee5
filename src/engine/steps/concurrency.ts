/**
 * `concurrency` (part 8): how many requests may be under way at the same time, of the service, an address or a caller. Counted in memory, or
 * by what the instances of the service share, which has the places of an instance that died back when its lease is over.
 */
import { nonNull } from "../../support/non-null.ts";
import type { Endpoint, LimitsPart } from "../../model/model.ts";
import type { SharedPlaces } from "../../store/shared.ts";
import { after, type Awaitable, mapInOrder } from "../../support/awaitable.ts";
import type { RequestContext } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { Problem } from "../problem.ts";
import type { Evaluate } from "../evaluation/context.ts";
import { appliesTo } from "../../model/applies.ts";
import { holderKey } from "./limit.ts";

type ConcurrencyLimit = LimitsPart["concurrency"][number];

/** Takes a place for a request until what is answered is called. */
export type TakePlace = (request: RequestContext) => Promise<() => Awaitable<void>>;

/** The places of one limit, by holder. */
export interface Places {
  /** False where all are taken. */
  take(key: string): Awaitable<boolean>;
  leave(key: string): Awaitable<void>;
  /** How many are taken, where that is known in memory. */
  readonly taken: ReadonlyMap<string, number>;
}

/** Requests under way by limit; endpoints that share a row share its count. */
export type PlacesTaken = ReadonlyMap<ConcurrencyLimit, Places>;

/** @param shared what the instances of the service share; in memory where there is but one */
export function createPlaces(limits: LimitsPart, shared: SharedPlaces | undefined): PlacesTaken {
  return new Map(
    limits.concurrency.map((limit, place) => [
      limit,
      shared ? sharedPlaces(shared, limit, place) : ownPlaces(limit),
    ]),
  );
}

function ownPlaces({ count }: ConcurrencyLimit): Places {
  const taken = new Map<string, number>();
  return {
    taken,
    take(key) {
      const before = taken.get(key) ?? 0;
      if (before >= count) return false;
      taken.set(key, before + 1);
      return true;
    },
    leave(key) {
      const left = (taken.get(key) ?? 1) - 1;
      if (left > 0) taken.set(key, left);
      else taken.delete(key);
    },
  };
}

function sharedPlaces(shared: SharedPlaces, { name, count }: ConcurrencyLimit, place: number): Places {
  const keyOf = (holder: string) => `${name === "" ? `#${place + 1}` : name} ${holder}`;
  return {
    taken: new Map(),
    take: (holder) => shared.take(keyOf(holder), count),
    leave: (holder) => shared.leave(keyOf(holder)),
  };
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
      places: nonNull(taken.get(limit)),
      ...(typeof limit.per === "object" ? { per: evaluateOf(context, limit.per) } : {}),
    }));
  if (rows.length === 0) return undefined;
  return {
    needsCaller: rows.some(({ limit }) => limit.per === "caller" || typeof limit.per === "object"),
    async take(request) {
      const mine: { readonly places: Places; readonly key: string }[] = [];
      // All of them, though telling one may take a while.
      const leave = () =>
        after(
          mapInOrder(mine.splice(0), ({ places, key }) => places.leave(key)),
          () => {},
        );
      try {
        for (const { limit, places, per } of rows as readonly Row[]) {
          const key = await holderKey(limit.per ?? "service", per, request);
          if (key === undefined) continue;
          const taking = places.take(key);
          if (!(taking instanceof Promise ? await taking : taking)) throw tooMany(limit);
          mine.push({ places, key });
        }
      } catch (error) {
        // Whoever isn't let in by all rows, or can't be told apart by one, has no place in any.
        await leave();
        throw error;
      }
      return leave;
    },
  };
}

interface Row {
  readonly limit: ConcurrencyLimit;
  readonly places: Places;
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
