/**
 * The database's clock, as this process estimates it: its own clock and an offset. A reading is exact to the
 * round-trip time. The estimate is corrected only as far as that requires; otherwise time would jump with the
 * network's noise.
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

  /** The database's time between these two times of the machine. */
  learn(queriedMs: number, databaseMs: number, answeredMs: number): void {
    const least = databaseMs - answeredMs;
    const most = databaseMs - queriedMs;
    if (!this.#isKnown) this.#offsetMs = (least + most) / 2;
    else this.#offsetMs = Math.min(Math.max(this.#offsetMs, least), most);
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
