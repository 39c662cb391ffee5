/**
 * Instance lease: owns everything that an instance holds, and is renewed while the instance lives.
 *
 * An instance can lose its lease: its process was suspended, or the server's tables were emptied.
 * It then gets a new name, and claims everything again. What others have claimed since stays with
 * them.
 */
import { randomUUID } from "node:crypto";
import { invariant } from "../../../support/invariant.ts";
import { statement } from "../../rows/steps.ts";
import { sharedLimits } from "./limits.ts";
import type { SideConnection } from "./side-connection.ts";
import { clockMs } from "./tables.ts";
import { every } from "../../../support/machine.ts";

const { leaseMs, renewEveryMs } = sharedLimits;

const renew = {
  sql: `UPDATE ninefold_instances SET until = ${clockMs} + ${leaseMs} WHERE id = $1::text AND until > ${clockMs} RETURNING 1`,
};
/**
 * Registers an instance. A name starts with its creation time, so that a reader whose snapshot
 * lacks the row still recognises the lease as new.
 */
const register = statement<readonly [id: string]>(
  `INSERT INTO ninefold_instances (id, until) SELECT floor(${clockMs})::text || '-' || $1::text, ${clockMs} + ${leaseMs} RETURNING id`,
);
const forgetOld = {
  sql: `DELETE FROM ninefold_instances WHERE id IN (SELECT id FROM ninefold_instances WHERE until < ${clockMs} - 60000 LIMIT 100 FOR UPDATE SKIP LOCKED)`,
};
const end = { sql: "DELETE FROM ninefold_instances WHERE id = $1::text" };

/** A condition: the lease with this name is valid. */
export function isLeaseValid(id: string): string {
  return `(EXISTS (SELECT 1 FROM ninefold_instances i WHERE i.id = ${id} AND i.until > ${clockMs})
    OR split_part(${id}, '-', 1)::float8 > ${clockMs} - ${leaseMs})`;
}

/** Something that holds resources under the lease's name. */
export interface LeaseHolder {
  /** Moves everything to the lease's new name. Never fails. */
  renamed(former: string, id: string): Promise<void>;
  /** Retries what failed before. Never fails. */
  renewed(): Promise<void>;
}

/** The lease of one instance, which is registered at first use and renewed every two seconds. */
export class InstanceLease {
  readonly #side: SideConnection;
  readonly #holdings: LeaseHolder[] = [];
  #id: string | undefined;
  #registering: Promise<string> | undefined;
  #stopRenewing: (() => void) | undefined;
  #isRenewing = false;

  constructor(side: SideConnection) {
    this.#side = side;
  }

  add(holder: LeaseHolder): void {
    this.#holdings.push(holder);
  }

  /**
   * The lease's name, assigned at first use.
   * @throws StoreUnavailable
   */
  id(): string | Promise<string> {
    if (this.#id !== undefined) return this.#id;
    this.#registering ??= this.#register().finally(() => {
      this.#registering = undefined;
    });
    return this.#registering;
  }

  async close(): Promise<void> {
    this.#stopRenewing?.();
    if (this.#id !== undefined) await this.#side.execute(end, [this.#id]).catch(() => {});
  }

  async #register(): Promise<string> {
    const [row] = (await this.#side.execute(register, [randomUUID()])).rows;
    invariant(row, "an instance that registers has a name");
    this.#id = row[0];
    this.#stopRenewing ??= every(renewEveryMs, () => void this.#renew());
    return this.#id;
  }

  async #renew(): Promise<void> {
    const former = this.#id;
    if (this.#isRenewing || former === undefined) return;
    this.#isRenewing = true;
    try {
      const { rows } = await this.#side.execute(renew, [former]);
      if (rows.length === 0) {
        const id = await this.#register();
        for (const holder of this.#holdings) await holder.renamed(former, id);
      }
      for (const holder of this.#holdings) await holder.renewed();
      await this.#side.execute(forgetOld, []);
    } catch {
      // The server can't be reached. The renewal is retried soon, and a caller that needs the lease
      // now receives the error.
    } finally {
      this.#isRenewing = false;
    }
  }
}
