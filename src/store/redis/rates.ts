/**
 * What rates have counted, in a Redis that all instances reach: the same buckets and windows as in the table of the database, in a script
 * that runs there alone, by its TIME. While it is away, or says nothing, the table counts; it is told once when that begins and once when
 * it is over, and looked for each second.
 */
import { createClient } from "@redis/client";
import { createHash } from "node:crypto";
import { StoreRefused } from "../errors.ts";
import type { RateRequest, RateStanding, SharedRates } from "../shared.ts";
import { codeOf } from "../../support/failure.ts";
import { every, machine } from "../../support/machine.ts";

export interface RedisOptions {
  /** Which store it is, for others may keep theirs in the same Redis. */
  readonly store: string;
  /** Counts while it is away. */
  readonly meanwhile: SharedRates;
  /** One sentence for the operator. */
  readonly onWarning: (message: string) => void;
  /** So long it may say nothing, in milliseconds. */
  readonly answerMs?: number;
}

export interface RedisRates extends SharedRates {
  close(): Promise<void>;
}

/** Bounds of what is asked of a Redis, in milliseconds. All stand in the table of engine defaults. */
export const redisLimits = {
  /** So long it may say nothing; then the database counts. */
  answerMs: 500,
  /** At a start it is waited for a little longer. */
  firstMs: 2_000,
  /** So often one that was away is looked for. */
  lookEveryMs: 1_000,
} as const;
const { firstMs, lookEveryMs } = redisLimits;

/**
 * KEYS: the key. ARGV: what is wanted (`take`, `peek`, `back`), the kind, its unit, its room, the cost, the time or nothing, which window.
 * `at`, `used`: of a window when it began and what it has given; of a bucket when it was last asked and in how many milliseconds it was full.
 */
const script = `
local wanted, isWindow = ARGV[1], ARGV[2] == 'window'
local unit, room, cost = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local now = tonumber(ARGV[6])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
end
local kept = redis.call('HMGET', KEYS[1], 'at', 'used')
local at, used = tonumber(kept[1]), tonumber(kept[2])
local known = at ~= nil
if isWindow then
  if not known or now < at - 1000 or now >= at + unit then at, used, known = now, 0, false end
elseif known then at, used = now, math.max(0, math.min(used - (now - at), room))
else at, used = now, 0 end
local price = isWindow and cost or unit * cost
local allowed = 1
if wanted == 'take' then
  if cost > 0 and used + price > room + 1e-6 then allowed = 0 else used, known = used + price, true end
elseif wanted == 'back' and known and (not isWindow or at == tonumber(ARGV[7])) then
  used = math.max(0, used - price)
end
if wanted ~= 'peek' and known then
  redis.call('HSET', KEYS[1], 'at', string.format('%.17g', at), 'used', string.format('%.17g', used))
  redis.call('PEXPIRE', KEYS[1], math.ceil(math.max(1, isWindow and at + unit - now or used) + 1000))
end
return {allowed, string.format('%.17g', now - at), string.format('%.17g', used), string.format('%.17g', at)}`;
const scriptHash = createHash("sha1").update(script).digest("hex");

/** @throws StoreRefused where the address can't be read */
export async function openRedisRates(url: string, options: RedisOptions): Promise<RedisRates> {
  const shown = shownAddress(url);
  const rates = new RatesInRedis(clientOf(url), shown, options);
  await rates.start();
  return rates;
}

/** It connects anew by itself; what is asked while it isn't connected fails at once. */
function clientOf(url: string) {
  return createClient({
    url,
    name: "ninefold",
    disableOfflineQueue: true,
    socket: { connectTimeout: firstMs, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, lookEveryMs) },
  });
}

type Client = ReturnType<typeof clientOf>;

class RatesInRedis implements RedisRates {
  readonly #client: Client;
  readonly #shown: string;
  readonly #options: RedisOptions;
  readonly #stopLooking: () => void;
  readonly #answerMs: number;
  #isThere = false;
  #isReported = false;

  constructor(client: Client, shown: string, options: RedisOptions) {
    this.#client = client;
    this.#shown = shown;
    this.#options = options;
    this.#answerMs = options.answerMs ?? redisLimits.answerMs;
    client.on("error", (error: Error) => this.#lose(error));
    this.#stopLooking = every(lookEveryMs, () => void this.#look());
  }

  async start(): Promise<void> {
    // It goes on trying by itself.
    const connecting = this.#client.connect().catch((error: Error) => this.#lose(error));
    await within(firstMs, connecting).catch(() => {});
    if (this.#client.isReady) this.#isThere = true;
    else this.#lose(new Error("no answer"));
  }

  take(statement: RateRequest): Promise<RateStanding> {
    return this.#execute("take", statement, 0, (table) => table.take(statement));
  }

  peek(statement: RateRequest): Promise<RateStanding> {
    return this.#execute("peek", statement, 0, (table) => table.peek(statement));
  }

  giveBack(statement: RateRequest, since: number): Promise<RateStanding> {
    return this.#execute("back", statement, since, (table) => table.giveBack(statement, since));
  }

  async close(): Promise<void> {
    this.#stopLooking();
    this.#client.destroy();
  }

  async #execute(
    wanted: string,
    statement: RateRequest,
    since: number,
    inTable: (table: SharedRates) => Promise<RateStanding>,
  ): Promise<RateStanding> {
    if (this.#isThere) {
      try {
        return await this.#run(keyOf(this.#options.store, statement), wanted, statement, since);
      } catch (error) {
        this.#lose(error as Error);
      }
    }
    return inTable(this.#options.meanwhile);
  }

  async #run(key: string, wanted: string, statement: RateRequest, since: number): Promise<RateStanding> {
    const { rule, cost, atMs } = statement;
    const given = [wanted, rule.kind, rule.unitMs, rule.room, cost, atMs ?? "", since].map(String);
    const options = { keys: [key], arguments: given };
    const answer = this.#client.evalSha(scriptHash, options).catch((error: Error) => {
      if (!error.message.startsWith("NOSCRIPT")) throw error;
      return this.#client.eval(script, options);
    });
    return standingOf(statement, await within(this.#answerMs, answer));
  }

  /** Whether it is back. */
  async #look(): Promise<void> {
    if (this.#isThere || !this.#client.isReady) return;
    try {
      await within(this.#answerMs, this.#client.ping());
      this.#isThere = true;
      if (!this.#isReported) return;
      this.#isReported = false;
      this.#options.onWarning(`${this.#shown} answers again: rates are counted there from now on.`);
    } catch {
      // With the next look.
    }
  }

  #lose(error: Error): void {
    this.#isThere = false;
    if (this.#isReported) return;
    this.#isReported = true;
    const why = error.message || codeOf(error) || "no answer";
    this.#options.onWarning(
      `${this.#shown} can't be asked (${why}): rates are counted in the database until it answers again.`,
    );
  }
}

/** @throws Error of what the script doesn't answer, as where somebody else's stands in its place */
function standingOf({ rule }: RateRequest, reply: unknown): RateStanding {
  const [allowed, agoMs, used, at] = Array.isArray(reply) ? reply.map(Number) : [];
  if (agoMs === undefined || used === undefined || at === undefined)
    throw new Error("it answers what the script doesn't");
  const isAllowed = allowed === 1;
  if (rule.kind === "bucket") return { isAllowed, ms: used, used: 0, since: 0 };
  return { isAllowed, ms: Math.max(0, agoMs), used, since: at };
}

function keyOf(store: string, { rule, holder }: RateRequest): string {
  return `ninefold:${store}:${createHash("sha256").update(`${rule.name} ${holder}`).digest("base64url")}`;
}

/** As it may be told: without a password. @throws StoreRefused */
function shownAddress(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !/^rediss?:$/.test(address.protocol))
    throw new StoreRefused(
      "The address of the Redis can't be read.",
      "Write it as redis://user:password@host:6379/0, or rediss://… for TLS; what is special in a password is written as %40 and the like.",
    );
  if (address.password !== "") address.password = "…";
  return decodeURI(address.href);
}

function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = machine.after(ms, () => reject(new Error(`no answer within ${ms} ms`)));
    answer.then(resolve, reject).finally(over);
  });
}
