/**
 * Concurrency limits (part 8, `concurrency`): how many requests may be in progress at a time for
 * the service, an address or a caller. They are counted in memory, or in the state that instances
 * share. The shared state releases the slots of a dead instance when its lease expires.
 */
import { nonNull } from "../../support/non-null.ts";
import type { Endpoint, LimitsPart } from "../../model/model.ts";
import type { SharedSlots } from "../../store/shared.ts";
import { after, type Awaitable, mapInOrder } from "../../support/awaitable.ts";
import type { RequestContext } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { Problem } from "../problem.ts";
import type { Evaluate } from "../evaluation/context.ts";
import { appliesTo } from "../../model/limits/applies.ts";
import { quotaKey } from "./limit.ts";

type ConcurrencyLimit = LimitsPart["concurrency"][number];

/** Acquires a slot for a request; the returned function releases it. */
export type AcquireSlot = (request: RequestContext) => Promise<() => Awaitable<void>>;

/** The slots of one limit, by holder. */
export interface SlotPool {
  /** Returns false if no slot is free. */
  acquire(key: string): Awaitable<boolean>;
  release(key: string): Awaitable<void>;
  /** Slots in use by holder, if counted in memory. */
  readonly inUse: ReadonlyMap<string, number>;
}

/** Slot pools by limit; endpoints with the same row share its pool. */
export type SlotPools = ReadonlyMap<ConcurrencyLimit, SlotPool>;

/**
 * @param shared the state that instances share; undefined for a single instance, which counts in
 * memory
 */
export function createSlotPools(limits: LimitsPart, shared: SharedSlots | undefined): SlotPools {
  return new Map(
    limits.concurrency.map((limit, index) => [
      limit,
      shared ? sharedSlotPool(shared, limit, index) : ownSlotPool(limit),
    ]),
  );
}

function ownSlotPool({ count }: ConcurrencyLimit): SlotPool {
  const inUse = new Map<string, number>();
  return {
    inUse,
    acquire(key) {
      const before = inUse.get(key) ?? 0;
      if (before >= count) return false;
      inUse.set(key, before + 1);
      return true;
    },
    release(key) {
      const left = (inUse.get(key) ?? 1) - 1;
      if (left > 0) inUse.set(key, left);
      else inUse.delete(key);
    },
  };
}

function sharedSlotPool(shared: SharedSlots, { name, count }: ConcurrencyLimit, index: number): SlotPool {
  const keyOf = (holder: string) => `${name === "" ? `#${index + 1}` : name} ${holder}`;
  return {
    inUse: new Map(),
    acquire: (holder) => shared.take(keyOf(holder), count),
    release: (holder) => shared.leave(keyOf(holder)),
  };
}

/** Returns undefined if no row applies to the endpoint. */
export function planSlots(
  context: PlanContext,
  endpoint: Endpoint,
  inUse: SlotPools,
): { readonly needsCaller: boolean; readonly acquire: AcquireSlot } | undefined {
  const rows = context.model.limits.concurrency
    .filter((limit) => appliesTo(limit.applies, endpoint))
    .map((limit) => ({
      limit,
      places: nonNull(inUse.get(limit)),
      ...(typeof limit.per === "object" ? { per: evaluateOf(context, limit.per) } : {}),
    }));
  if (rows.length === 0) return undefined;
  return {
    needsCaller: rows.some(({ limit }) => limit.per === "caller" || typeof limit.per === "object"),
    async acquire(request) {
      const acquired: { readonly places: SlotPool; readonly key: string }[] = [];
      // Releases all slots, even if a release takes a while.
      const release = () =>
        after(
          mapInOrder(acquired.splice(0), ({ places, key }) => places.release(key)),
          () => {},
        );
      try {
        for (const { limit, places, per } of rows as readonly Row[]) {
          const key = await quotaKey(limit.per ?? "service", per, request);
          if (key === undefined) continue;
          const taking = places.acquire(key);
          if (!(taking instanceof Promise ? await taking : taking)) throw tooMany(limit);
          acquired.push({ places, key });
        }
      } catch (error) {
        // A request that does not get a slot of every row keeps none.
        await release();
        throw error;
      }
      return release;
    },
  };
}

interface Row {
  readonly limit: ConcurrencyLimit;
  readonly places: SlotPool;
  readonly per?: Evaluate;
}

function tooMany(limit: ConcurrencyLimit): Problem {
  return new Problem(
    {
      condition: "rate limited",
      problem: `exceeds the limit of ${limit.count} concurrent requests`,
      limitName: limit.name === "" ? "concurrency" : limit.name,
      limit: limit.count,
      retryAfterSeconds: 1,
    },
    { because: limit.position },
  );
}
