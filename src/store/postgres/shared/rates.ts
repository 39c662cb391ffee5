/**
 * Rate counters in a table: one statement for all requests of one tick of the event loop.
 *
 * It locks the rows of its keys in a fixed order, so that instances don't deadlock. It reads the
 * clock after that, so that the last use by another instance is never in the future. The semantics
 * are those of `engine/limits/rates.ts` in memory.
 */
import { createHash } from "node:crypto";
import { invariant } from "../../../support/invariant.ts";
import { statement } from "../../rows/steps.ts";
import type { RateRequest, RateBalance, SharedRates } from "../../shared.ts";
import { inBatches } from "./batches.ts";
import { sharedLimits } from "./limits.ts";
import type { SideConnection } from "./side-connection.ts";
import { clockMs } from "./tables.ts";
import { machine } from "../../../support/machine.ts";

/** Longer keys are stored as their hash. */
const keyLengthMax = 200;
const { rateKeysMax, sweepEveryMs } = sharedLimits;
const sweptMax = 20_000;

const columns = "key, is_window, unit, room, cost, asked, at, used, granted, was_at, was_used, seen";

/**
 * Computes the granted amount and a key's new state, from its state and the request.
 *
 * For a window, `at` is its start, and `used` what it has granted. For a bucket, `at` is the time
 * of the last request, and `used` the time in milliseconds until it was full then. A window that
 * starts in the future means that a clock was set back.
 */
function counting(requested: string, at: string, used: string): string {
  return `SELECT CASE WHEN is_window THEN was_at ELSE now END AS at, was_used + granted * unit_cost AS used, granted, was_at, was_used, now
    FROM (SELECT *, CASE WHEN cost <= 0 THEN asked
        ELSE greatest(0, least(asked, floor((room + 1e-6 - was_used) / unit_cost))) END AS granted
      FROM (SELECT *, CASE WHEN is_window THEN cost ELSE unit * cost END AS unit_cost, CASE WHEN is_live THEN at ELSE now END AS was_at,
          CASE WHEN NOT is_window THEN greatest(0, least(used - (now - at), room)) WHEN is_live THEN used ELSE 0 END AS was_used
        FROM (SELECT *, is_window AND now >= at - 1000 AND now < at + unit AS is_live
          FROM (SELECT ${requested}, ${at} AS at, ${used} AS used, coalesce($2::float8, ${clockMs}) AS now OFFSET 0) AS known) AS judged) AS standing) AS given`;
}

const excluded = ["is_window", "unit", "room", "cost", "asked"].map((name) => `excluded.${name}`).join(", ");

const takeStatement = statement<readonly [key: string, ...GivenRow]>(
  `INSERT INTO ninefold_rates AS r (${columns})
    SELECT b.key, b.is_window, b.unit, b.room, b.cost, b.asked, c.at, c.used, c.granted, c.was_at, c.was_used, c.now
    FROM json_to_recordset($1::json) AS b (key text, is_window boolean, unit float8, room float8, cost float8, asked float8)
    CROSS JOIN LATERAL (${counting("b.is_window, b.unit, b.room, b.cost, b.asked", "0::float8", "0::float8")}) AS c
    ORDER BY b.key COLLATE "C"
    ON CONFLICT (key) DO UPDATE SET (is_window, unit, room, cost, asked, at, used, granted, was_at, was_used, seen) =
      (SELECT ${excluded}, c.at, c.used, c.granted, c.was_at, c.was_used, c.now FROM (${counting(excluded, "r.at", "r.used")}) AS c)
    RETURNING key, granted, was_at, was_used, seen`,
);
/** Reads a counter without counting a request. */
const peek = statement<StoredRow>(
  `SELECT at, used, coalesce($2::float8, ${clockMs}) FROM ninefold_rates WHERE key = $1::text`,
);
const giveBack = statement<StoredRow>(
  `UPDATE ninefold_rates SET at = CASE WHEN is_window THEN at ELSE n.now END,
      used = CASE WHEN NOT is_window THEN greatest(0, least(used - (n.now - at), room) - unit * $3::float8)
        WHEN at = $4::float8 THEN greatest(0, used - $3::float8) ELSE used END
    FROM (SELECT coalesce($2::float8, ${clockMs}) AS now OFFSET 0) AS n WHERE key = $1::text RETURNING at, used, n.now`,
);
/**
 * Deletes rows without effect, and then the oldest above the maximum. Neither waits for requests.
 */
const sweep = {
  sql: `DELETE FROM ninefold_rates WHERE key IN (SELECT key FROM ninefold_rates
    WHERE (at + CASE WHEN is_window THEN unit ELSE used END) < ${clockMs} LIMIT ${sweptMax} FOR UPDATE SKIP LOCKED)`,
};
const cut = {
  sql: `DELETE FROM ninefold_rates WHERE key IN (SELECT key FROM ninefold_rates ORDER BY at + CASE WHEN is_window THEN unit ELSE used END
    LIMIT greatest(0, (SELECT count(*) FROM ninefold_rates) - ${rateKeysMax}) FOR UPDATE SKIP LOCKED)`,
};

/** The requests of a batch for one key. */
interface Together {
  readonly key: string;
  readonly request: RateRequest;
  readonly places: number[];
}

/** Rate counters that all instances share. */
export class RatesTable implements SharedRates {
  readonly take: SharedRates["take"];
  readonly #side: SideConnection;
  #lastSweepMs = machine.elapsed();

  constructor(side: SideConnection) {
    this.#side = side;
    this.take = inBatches((all) => this.#takeAll(all));
  }

  async peek(request: RateRequest): Promise<RateBalance> {
    const { rows } = await this.#side.execute(peek, [keyOf(request), request.atMs]);
    return balanceOf(request, rows[0]);
  }

  async refund(request: RateRequest, since: number): Promise<RateBalance> {
    const { rows } = await this.#side.execute(giveBack, [keyOf(request), request.atMs, request.cost, since]);
    return balanceOf(request, rows[0]);
  }

  /**
   * Requests for a key with another cost or time than the first don't fit into the same statement.
   * They run in the next one.
   */
  async #takeAll(all: readonly RateRequest[]): Promise<readonly RateBalance[]> {
    this.#sweepSometimes();
    const standings: RateBalance[] = [];
    let left = all.map((request, place) => ({ request, key: keyOf(request), place }));
    while (left.length > 0) {
      const together = new Map<string, Together>();
      const later: typeof left = [];
      const { atMs } = (left[0] as (typeof left)[number]).request;
      for (const item of left) {
        const known = together.get(item.key);
        if (item.request.atMs !== atMs || (known && known.request.cost !== item.request.cost))
          later.push(item);
        else if (known) known.places.push(item.place);
        else together.set(item.key, { key: item.key, request: item.request, places: [item.place] });
      }
      await this.#takeTogether([...together.values()], atMs, standings);
      left = later;
    }
    return standings;
  }

  async #takeTogether(
    all: readonly Together[],
    atMs: number | null,
    standings: RateBalance[],
  ): Promise<void> {
    const batch = all.map(({ key, request: { rule, cost }, places }) => ({
      key,
      is_window: rule.kind === "window",
      unit: rule.unitMs,
      room: rule.room,
      cost,
      asked: places.length,
    }));
    const { rows } = await this.#side.execute(takeStatement, [JSON.stringify(batch), atMs]);
    const given = new Map(rows.map(([key, ...row]) => [key, row]));
    for (const { key, request, places } of all) {
      const row = given.get(key);
      invariant(row, "each requested key has a row in the result");
      for (const [at, place] of places.entries()) standings[place] = balanceAfterTake(request, row, at);
    }
  }

  #sweepSometimes(): void {
    if (machine.elapsed() - this.#lastSweepMs < sweepEveryMs) return;
    this.#lastSweepMs = machine.elapsed();
    // Rows that aren't deleted now are deleted in a minute.
    void this.#side
      .execute(sweep, [])
      .then(() => this.#side.execute(cut, []))
      .catch(() => {});
  }
}

type StoredRow = readonly [at: number, used: number, now: number];
type GivenRow = readonly [granted: number, wasAt: number, wasUsed: number, now: number];

/**
 * The result of one request. The requests of a batch are granted in order, up to the limit.
 * @param before the number of requests before this one
 */
function balanceAfterTake(
  { rule, cost }: RateRequest,
  [granted, wasAt, wasUsed, now]: GivenRow,
  before: number,
): RateBalance {
  const isAllowed = before < granted;
  const charged = Math.min(before + 1, granted) * cost;
  if (rule.kind === "bucket")
    return { isAllowed, ms: Math.max(0, wasUsed + charged * rule.unitMs), used: 0, since: 0 };
  return { isAllowed, ms: Math.max(0, now - wasAt), used: wasUsed + charged, since: wasAt };
}

function balanceOf({ rule }: RateRequest, row: StoredRow | undefined): RateBalance {
  if (!row) return { isAllowed: true, ms: 0, used: 0, since: 0 };
  const [at, used, now] = row;
  if (rule.kind === "bucket")
    return { isAllowed: true, ms: Math.min(Math.max(0, used - (now - at)), rule.room), used: 0, since: 0 };
  const isLive = now >= at - 1000 && now < at + rule.unitMs;
  return { isAllowed: true, ms: isLive ? Math.max(0, now - at) : 0, used: isLive ? used : 0, since: at };
}

function keyOf({ rule, holder }: RateRequest): string {
  const key = `${rule.name} ${holder}`;
  return key.length <= keyLengthMax ? key : `#${createHash("sha256").update(key).digest("base64url")}`;
}
