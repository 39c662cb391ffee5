/** Idempotency keys in progress on any instance: one row each, owned by the lease of its holder. */
import { createHash } from "node:crypto";
import { StoreUnavailable } from "../../errors.ts";
import { statement } from "../../rows/steps.ts";
import type { SharedKeys } from "../../shared.ts";
import { type LeaseHolder, type InstanceLease, isLeaseValid } from "./lease.ts";
import type { SideConnection } from "./side-connection.ts";

/** Claims a key if it has no holder, or its holder is no longer alive. */
const begin = statement<readonly [mine: number, others: string | null]>(
  `WITH mine AS (INSERT INTO ninefold_keys_under_way AS k (key, asked, holder) VALUES ($1::text, $2::text, $3::text)
    ON CONFLICT (key) DO UPDATE SET asked = excluded.asked, holder = excluded.holder
    WHERE k.holder = excluded.holder OR NOT ${isLeaseValid("k.holder")} RETURNING key)
    SELECT (SELECT count(*) FROM mine), (SELECT asked FROM ninefold_keys_under_way WHERE key = $1::text)`,
);
const end = { sql: "DELETE FROM ninefold_keys_under_way WHERE key = $1::text AND holder = $2::text" };
const rename = {
  sql: "UPDATE ninefold_keys_under_way SET holder = $2::text WHERE holder = $1::text",
};
/** The maximum number of attempts. The holder may finish between the two parts of the query. */
const looksMax = 5;

/** The idempotency keys in progress, as one instance sees them. */
export class KeysTable implements SharedKeys, LeaseHolder {
  readonly #side: SideConnection;
  readonly #lease: InstanceLease;
  /** Keys that this instance holds, with the fingerprints of their requests. */
  readonly #held = new Map<string, string>();
  /** Keys that are finished, but not yet removed from the table. */
  readonly #ended = new Set<string>();

  constructor(side: SideConnection, lease: InstanceLease) {
    this.#side = side;
    this.#lease = lease;
    lease.add(this);
  }

  async begin(key: string, fingerprint: string): Promise<string | null> {
    const name = nameOf(key);
    for (let look = 0; look < looksMax; look += 1) {
      const holder = await this.#lease.id();
      const { rows } = await this.#side.execute(begin, [name, fingerprint, holder]);
      const [mine = 0, otherRequest = null] = rows[0] ?? [];
      if (mine === 1) {
        this.#held.set(name, fingerprint);
        this.#ended.delete(name);
        return null;
      }
      if (otherRequest !== null) return otherRequest;
    }
    throw new StoreUnavailable("Too many concurrent requests use the same idempotency key.", {
      retryable: true,
    });
  }

  async end(key: string): Promise<void> {
    const name = nameOf(key);
    this.#held.delete(name);
    this.#ended.add(name);
    await this.#end(name);
  }

  async renamed(former: string, id: string): Promise<void> {
    await this.#side.execute(rename, [former, id]).catch(() => {});
    // The table may have been emptied. Keys that another instance has claimed since stay with it.
    for (const [name, fingerprint] of this.#held)
      await this.#side.execute(begin, [name, fingerprint, id]).catch(() => {});
  }

  async renewed(): Promise<void> {
    await Promise.all([...this.#ended].map((name) => this.#end(name)));
  }

  async #end(name: string): Promise<void> {
    try {
      await this.#side.execute(end, [name, await this.#lease.id()]);
      this.#ended.delete(name);
    } catch {
      // The next renewal tries again.
    }
  }
}

function nameOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}
