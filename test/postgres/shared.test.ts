/**
 * Shared state of instances on one schema: rates count as in one process, and slots and keys are
 * released when their holder dies.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { RateState } from "../../src/engine/limits/rates.ts";
import { createSharedRateCounter } from "../../src/engine/limits/shared-rates.ts";
import { addressOf } from "../../src/store/postgres/connection/address.ts";
import { DatabaseClock } from "../../src/store/postgres/shared/clock.ts";
import { SharedTables } from "../../src/store/postgres/shared/shared.ts";
import { sharedTables } from "../../src/store/postgres/shared/tables.ts";
import { openStore } from "../../src/store/index.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import type { RateRequest, Shared } from "../../src/store/shared.ts";
import type { Store } from "../../src/store/store.ts";
import { fc, times } from "../fixed-seed.ts";
import { freshSchema, type Schema } from "./server.ts";
import { sayWhatMemorySays } from "./shared-rates.ts";

const notes = model([resource("Note", [field("text", "string")])]);
let schema: Schema;
let stores: readonly [Store, Store];
let both: readonly [Shared, Shared];

before(async () => {
  schema = await freshSchema();
  const open = () => openStore(notes, meaningOf(notes), { path: schema.url });
  stores = await Promise.all([open(), open()]);
  both = [stores[0].shared as Shared, stores[1].shared as Shared];
});

after(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await schema.drop();
});

test("two instances give 100 a minute in all, of a window and of a bucket, however the requests are distributed", async () => {
  for (const burst of [undefined, 100]) {
    const bound = { count: 100, periodMs: 60_000, ...(burst ? { burst } : {}) };
    const counters = both.map((shared) => createSharedRateCounter(shared.rates, bound, "all", false));
    const states: RateState[] = [];
    for (let round = 0; round < 5; round += 1) {
      const requested = Array.from({ length: 60 }, (_, at) =>
        counters[at % 2]?.take(`*${burst}`, 1_000_000, 1),
      );
      states.push(...((await Promise.all(requested)) as RateState[]));
    }
    const allowed = states.filter((state) => state.allowed);
    // A bucket refills while the test runs: one unit in 600 ms.
    const most = burst === undefined ? 100 : 100 + 20;
    assert.ok(allowed.length >= 100 && allowed.length <= most, String(allowed.length));
    assert.equal(new Set(allowed.map(({ remaining }) => remaining)).size, 100);
    assert.ok(states.filter((state) => !state.allowed).every(({ retryAfterMs }) => retryAfterMs > 0));
  }
});

test("with random times, costs and keys the table gives the same results as memory", async () => {
  await sayWhatMemorySays((run) => (both[run % 2] as Shared).rates, 40);
});

test("concurrent requests of several costs are served as if one after another", async () => {
  const rule = { name: "costs", kind: "window", unitMs: 60_000, room: 10 } as const;
  const requested = (cost: number): RateRequest => ({ rule, holder: "*", cost, atMs: null });
  const costs = [4, 1, 4, 4, 1, 1, 1];
  const standings = await Promise.all(costs.map((cost) => both[0].rates.take(requested(cost))));
  const taken = costs.filter((_, at) => standings[at]?.isAllowed).reduce((sum, cost) => sum + cost, 0);
  assert.equal(taken, 10);
  assert.equal((await both[1].rates.peek(requested(0))).used, 10);
});

test("a key of any length and any characters is one key", async () => {
  const rule = { name: "texts", kind: "window", unitMs: 60_000, room: 1 } as const;
  for (const holder of ["é'\"\\$1?", "x".repeat(100_000), "\u{1F600}"]) {
    const requested = { rule, holder, cost: 1, atMs: null };
    assert.equal((await both[0].rates.take(requested)).isAllowed, true);
    assert.equal((await both[1].rates.take(requested)).isAllowed, false);
  }
});

test("two instances share all slots, and a released slot can be claimed", async () => {
  const taken = await Promise.all(
    Array.from({ length: 20 }, (_, at) => (both[at % 2] as Shared).places.take("seats", 7)),
  );
  assert.equal(taken.filter(Boolean).length, 7);
  const mine = taken.flatMap((isTaken, at) => (isTaken ? [at] : []));
  await Promise.all(mine.map((at) => (both[at % 2] as Shared).places.leave("seats")));
  assert.deepEqual(await Promise.all([both[0].places.take("seats", 1), both[0].places.take("seats", 1)]), [
    true,
    false,
  ]);
  assert.equal(await both[1].places.take("seats", 1), false);
  await both[0].places.leave("seats");
  assert.equal(await both[1].places.take("seats", 1), true);
  await both[1].places.leave("seats");
});

test("an idempotency key is in progress once, and the other instance receives the digest of its request", async () => {
  assert.equal(await both[0].keys.begin("k", "POST /a"), null);
  assert.equal(await both[1].keys.begin("k", "POST /a"), "POST /a");
  await both[1].keys.end("k");
  assert.equal(await both[1].keys.begin("k", "POST /b"), "POST /a");
  await both[0].keys.end("k");
  assert.equal(await both[1].keys.begin("k", "POST /b"), null);
  await both[1].keys.end("k");
});

test("a dead instance's slots can be claimed after its lease; its late release has no effect", async () => {
  const gone = new SharedTables(addressOf(schema.url), new DatabaseClock(() => {}), "0");
  assert.equal(await gone.places.take("chair", 1), true);
  assert.equal(await gone.keys.begin("gone", "POST /a"), null);
  assert.equal(await both[0].places.take("chair", 1), false);
  assert.equal(await both[0].keys.begin("gone", "POST /b"), "POST /a");
  // As after the lease's time: its row says until when, its name when it began.
  const client = await schema.connect();
  const { rows } = await client.query("SELECT taken FROM ninefold_places WHERE key = 'chair'");
  const id = Object.keys(rows[0].taken)[0] as string;
  const old = `1-${id}`;
  await client.query("UPDATE ninefold_instances SET id = $2, until = 1 WHERE id = $1", [id, old]);
  await client.query("UPDATE ninefold_keys_under_way SET holder = $2 WHERE holder = $1", [id, old]);
  await client.query(
    "UPDATE ninefold_places SET taken = jsonb_build_object($1::text, 1) WHERE key = 'chair'",
    [old],
  );
  assert.equal(await both[0].places.take("chair", 1), true);
  assert.equal(await both[0].keys.begin("gone", "POST /b"), null);
  await gone.keys.end("gone");
  assert.equal(await both[1].keys.begin("gone", "POST /c"), "POST /b");
  await gone.places.leave("chair");
  assert.equal(await both[1].places.take("chair", 1), false);
  await both[0].places.leave("chair");
  await both[0].keys.end("gone");
  await gone.close();
});

test("with random claims, releases and deaths, no more slots are held than there are, and those of the dead are released", async () => {
  const client = await schema.connect();
  const everybody: SharedTables[] = [];
  let keys = 0;
  const taken = async (key: string): Promise<Record<string, number>> => {
    const { rows } = await client.query("SELECT taken FROM ninefold_places WHERE key = $1", [key]);
    return rows[0]?.taken ?? {};
  };
  /** Starts an instance; returns it with the name of its lease. */
  const born = async () => {
    const tables = new SharedTables(addressOf(schema.url), new DatabaseClock(() => {}), "0");
    everybody.push(tables);
    const key = `birth ${everybody.length}`;
    assert.equal(await tables.places.take(key, 1), true);
    return { tables, id: Object.keys(await taken(key))[0] as string, held: 0 };
  };
  /** As after the lease's time: its row says until when, its name when it began. */
  const die = async (id: string, key: string) => {
    await client.query("UPDATE ninefold_instances SET id = $2, until = 1 WHERE id = $1", [id, `1-${id}`]);
    await client.query(
      "UPDATE ninefold_places SET taken = (taken - $1::text) || jsonb_build_object($2::text, taken -> $1::text) WHERE key = $3 AND taken ? $1::text",
      [id, `1-${id}`, key],
    );
  };
  const who = fc.nat(2);
  const act = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        act: fc.constant("take" as const),
        who: fc.array(who, { minLength: 1, maxLength: 4 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ act: fc.constant("leave" as const), who }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant("die" as const), who }) },
  );
  const instances = [await born(), await born(), await born()];
  const run = fc.asyncProperty(
    fc.integer({ min: 1, max: 4 }),
    fc.array(act, { maxLength: 20, size: "max" }),
    async (most, acts) => {
      keys += 1;
      const key = `held ${keys}`;
      const dead: (typeof instances)[number][] = [];
      const sum = () => instances.reduce((all, { held }) => all + held, 0);
      for (const step of acts) {
        if (step.act === "take") {
          // All at once, by random instances.
          const room = most - sum();
          const received = await Promise.all(
            step.who.map((at) => instances[at]?.tables.places.take(key, most)),
          );
          for (const [at, isIn] of received.entries())
            if (isIn) (instances[step.who[at] as number] as (typeof instances)[number]).held += 1;
          assert.equal(received.filter(Boolean).length, Math.min(room, step.who.length));
        } else if (step.act === "leave") {
          const mine = instances[step.who] as (typeof instances)[number];
          // Late statements of dead instances have no effect. Here it is their last one, because
          // their names aren't old enough yet.
          const zombie = dead.find(({ held }) => held === 1);
          if (zombie) {
            zombie.held -= 1;
            await zombie.tables.places.leave(key);
          } else if (mine.held > 0) {
            mine.held -= 1;
            await mine.tables.places.leave(key);
          }
        } else {
          const mine = instances[step.who] as (typeof instances)[number];
          dead.push(mine);
          await die(mine.id, key);
          instances[step.who] = await born();
        }
        const now = await taken(key);
        for (const { id, held } of instances) assert.equal(now[id] ?? 0, held);
      }
      for (const mine of instances) for (; mine.held > 0; mine.held -= 1) await mine.tables.places.leave(key);
      const last = instances[0] as (typeof instances)[number];
      const all = await Promise.all(
        Array.from({ length: most + 1 }, () => last.tables.places.take(key, most)),
      );
      assert.equal(all.filter(Boolean).length, most, "all are there again");
      for (let left = most; left > 0; left -= 1) await last.tables.places.leave(key);
    },
  );
  try {
    await fc.assert(run, { numRuns: times(12) });
  } finally {
    await Promise.all(everybody.map((tables) => tables.close()));
  }
});

test("a start creates missing shared tables in an older schema", async () => {
  const client = await schema.connect();
  await client.query("ALTER TABLE ninefold_deliveries DROP COLUMN fence, DROP COLUMN lease_until");
  await client.query("DROP TABLE ninefold_rates");
  for (const statement of sharedTables) await client.query(statement);
  await client.query("SELECT fence, lease_until FROM ninefold_deliveries");
  await client.query("SELECT key FROM ninefold_rates");
});

test("the time follows the database's clock, and doesn't jump with network latency", () => {
  let machineMs = 1_000_000;
  const reported: string[] = [];
  const clock = new DatabaseClock(
    (message) => reported.push(message),
    () => machineMs,
  );
  clock.learn(1_000_000, 1_003_000, 1_000_010);
  assert.equal(clock.now(), 1_002_995);
  clock.learn(1_000_000, 1_003_000, 1_000_050);
  assert.equal(clock.now(), 1_002_995);
  clock.learn(1_000_000, 1_003_100, 1_000_010);
  assert.equal(clock.now(), 1_003_090);
  assert.deepEqual(reported, []);
  clock.learn(1_000_000, 1_009_000, 1_000_000);
  clock.learn(1_000_000, 1_009_000, 1_000_000);
  assert.equal(reported.length, 1);
  assert.match(reported.join(), /9\.0 seconds behind the database's/);
  machineMs += 60_000;
  assert.equal(clock.now(), 1_069_000);
});
