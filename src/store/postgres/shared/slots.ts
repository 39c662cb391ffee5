/**
 * Concurrency slots shared by all instances: one row per key has the number that each instance
 * holds.
 *
 * An instance writes its total, and not each change, so that the next write corrects one that
 * failed.
 */
import { statement } from "../../rows/steps.ts";
import type { SharedSlots } from "../../shared.ts";
import { inBatches } from "./batches.ts";
import { type LeaseHolder, type InstanceLease, isLeaseValid } from "./lease.ts";
import { sharedLimits } from "./limits.ts";
import type { SideConnection } from "./side-connection.ts";
import { machine } from "../../../support/machine.ts";

/**
 * Computes the slots of other living instances, and how many more this one may have.
 * @param used the state of the row
 * @param bound the instance, its total, the limit, and how many slots it requests
 */
function counting(used: string, bound: string): string {
  return `SELECT CASE WHEN held + granted > 0 THEN others || jsonb_build_object(holder, held + granted) ELSE others END AS taken, granted
    FROM (SELECT *, greatest(0, least(asked, most - count - held)) AS granted
      FROM (SELECT ${bound}) AS a CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_object_agg(o.key, o.value::bigint), '{}') AS others, coalesce(sum(o.value::bigint), 0)::bigint AS count
        FROM jsonb_each_text(${used}) AS o WHERE o.key <> a.holder AND ${isLeaseValid("o.key")}) AS standing) AS given`;
}

const names = ["holder", "most", "held", "asked"] as const;
const put = statement<readonly [key: string, granted: number]>(
  `INSERT INTO ninefold_places AS p (key, holder, most, held, asked, taken, granted)
    SELECT b.key, $2::text, b.most, b.held, b.asked, c.taken, c.granted
    FROM json_to_recordset($1::json) AS b (key text, most bigint, held bigint, asked bigint)
    CROSS JOIN LATERAL (${counting("'{}'::jsonb", "$2::text AS holder, b.most, b.held, b.asked")}) AS c
    ORDER BY b.key COLLATE "C"
    ON CONFLICT (key) DO UPDATE SET (holder, most, held, asked, taken, granted) =
      (SELECT ${names.map((name) => `excluded.${name}`).join(", ")}, c.taken, c.granted
      FROM (${counting("p.taken", names.map((name) => `excluded.${name}`).join(", "))}) AS c)
    RETURNING key, granted`,
);
const sweep = {
  sql: `DELETE FROM ninefold_places WHERE key IN (SELECT key FROM ninefold_places WHERE taken = '{}' LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
};

interface SlotRequest {
  readonly key: string;
  /** The limit for a new slot; null to report the current total only. */
  readonly most: number | null;
}

/** The concurrency slots of one instance, and the requests for more. */
export class SlotsTable implements SharedSlots, LeaseHolder {
  readonly #side: SideConnection;
  readonly #lease: InstanceLease;
  readonly #execute: (request: SlotRequest) => Promise<boolean>;
  readonly #held = new Map<string, number>();
  /** Keys whose row may differ from the total of this instance. */
  readonly #unsentKeys = new Set<string>();
  #lastSweepMs = machine.elapsed();

  constructor(side: SideConnection, lease: InstanceLease) {
    this.#side = side;
    this.#lease = lease;
    this.#execute = inBatches((all) => this.#put(all));
    lease.add(this);
  }

  take(key: string, max: number): Promise<boolean> {
    return this.#execute({ key, most: max });
  }

  async leave(key: string): Promise<void> {
    const left = (this.#held.get(key) ?? 1) - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
    await this.#notify(key);
  }

  async renamed(): Promise<void> {
    for (const key of this.#held.keys()) this.#unsentKeys.add(key);
  }

  async renewed(): Promise<void> {
    await Promise.all([...this.#unsentKeys].map((key) => this.#notify(key)));
    if (machine.elapsed() - this.#lastSweepMs < sharedLimits.sweepEveryMs) return;
    this.#lastSweepMs = machine.elapsed();
    await this.#side.execute(sweep, []).catch(() => {});
  }

  async #notify(key: string): Promise<void> {
    this.#unsentKeys.add(key);
    await this.#execute({ key, most: null }).catch(() => {});
  }

  async #put(all: readonly SlotRequest[]): Promise<readonly boolean[]> {
    const holder = await this.#lease.id();
    const wanted = new Map<string, { most: number; asked: number }>();
    for (const { key, most } of all) {
      const entry = wanted.get(key) ?? { most: 0, asked: 0 };
      wanted.set(key, most === null ? entry : { most, asked: entry.asked + 1 });
    }
    const reported = [...wanted].map(([key, entry]) => ({ key, ...entry, held: this.#held.get(key) ?? 0 }));
    // Until the response arrives, the state of the rows is unknown.
    for (const { key } of reported) this.#unsentKeys.add(key);
    const { rows } = await this.#side.execute(put, [JSON.stringify(reported), holder]);
    const granted = new Map(rows);
    const isStillOurs = (await this.#lease.id()) === holder;
    for (const { key, held } of reported) {
      const more = granted.get(key) ?? 0;
      // Slots may have been released meanwhile. The next write reports that.
      const now = (this.#held.get(key) ?? 0) + more;
      if (now > 0) this.#held.set(key, now);
      if (now === held + more && isStillOurs) this.#unsentKeys.delete(key);
    }
    return all.map(({ key, most }) => {
      if (most === null) return true;
      const left = granted.get(key) ?? 0;
      granted.set(key, left - 1);
      return left > 0;
    });
  }
}
