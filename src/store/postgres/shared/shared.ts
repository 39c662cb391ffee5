/** Shared state of instances besides records, assembled for one store. */
import type { Shared, SharedRates } from "../../shared.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { ClaimsTable } from "./claims.ts";
import type { DatabaseClock } from "./clock.ts";
import { KeysTable } from "./keys.ts";
import { InstanceLease } from "./lease.ts";
import { SlotsTable } from "./slots.ts";
import { RatesTable } from "./rates.ts";
import { SideConnection } from "./side-connection.ts";

export class SharedTables implements Shared {
  /** Counted in the table, unless another counter is configured. */
  readonly rates: SharedRates;
  readonly places: SlotsTable;
  readonly keys: KeysTable;
  readonly claims: ClaimsTable;
  readonly #clock: DatabaseClock;
  readonly #side: SideConnection;
  readonly #lease: InstanceLease;

  /** @param generation the schema's generation when this instance started */
  constructor(address: PostgresAddress, clock: DatabaseClock, generation: string) {
    this.#clock = clock;
    this.#side = new SideConnection(address);
    this.#lease = new InstanceLease(this.#side);
    this.rates = new RatesTable(this.#side);
    this.places = new SlotsTable(this.#side, this.#lease);
    this.keys = new KeysTable(this.#side, this.#lease);
    this.claims = new ClaimsTable(address, generation);
  }

  now(): number {
    return this.#clock.now();
  }

  async close(): Promise<void> {
    await this.#lease.close();
    await this.claims.close();
    await this.#side.close();
  }
}
