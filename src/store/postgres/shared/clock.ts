/**
 * Database clock: this process estimates it from its own clock and an offset.
 *
 * A reading is exact to the round-trip time. The estimate is only corrected as far as that
 * requires. Otherwise, time would jump with variations of the network's latency.
 */

import { sharedLimits } from "./limits.ts";
import { machine as systemMachine } from "../../../support/machine.ts";

export class DatabaseClock {
  readonly #machine: () => number;
  readonly #onWarning: (message: string) => void;
  #offsetMs = 0;
  #isKnown = false;
  #isReported = false;

  constructor(onWarning: (message: string) => void, machine: () => number = systemMachine.now) {
    this.#onWarning = onWarning;
    this.#machine = machine;
  }

  now(): number {
    return Math.round(this.#machine() + this.#offsetMs);
  }

  /**
   * Updates the estimate from a reading of the database's clock. The query was sent and answered at
   * these times of the machine's clock, in milliseconds.
   */
  learn(queriedMs: number, databaseMs: number, answeredMs: number): void {
    const least = databaseMs - answeredMs;
    const maxOffsetMs = databaseMs - queriedMs;
    if (!this.#isKnown) this.#offsetMs = (least + maxOffsetMs) / 2;
    else this.#offsetMs = Math.min(Math.max(this.#offsetMs, least), maxOffsetMs);
    this.#isKnown = true;
    this.#notify();
  }

  #notify(): void {
    const isOff = Math.abs(this.#offsetMs) > sharedLimits.offMsMax;
    if (isOff && !this.#isReported) {
      const seconds = (Math.abs(this.#offsetMs) / 1000).toFixed(1);
      const where = this.#offsetMs > 0 ? "behind" : "ahead of";
      this.#onWarning(
        `This machine's clock is ${seconds} seconds ${where} the database's. Ninefold uses the database's clock; other programs here don't.`,
      );
    }
    this.#isReported = isOff;
  }
}
