/**
 * Manual clock for tests: the time changes only when a test moves it, so no outcome depends on the
 * machine's load.
 */
import type { Machine } from "../support/machine.ts";

export class ManualMachine implements Machine {
  #nowMs = 0;
  #timers: { readonly dueMs: number; readonly callback: () => void }[] = [];

  readonly now = (): number => this.#nowMs;
  readonly elapsed = (): number => this.#nowMs;

  readonly after = (ms: number, callback: () => void): (() => void) => {
    const timer = { dueMs: this.#nowMs + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((candidate) => candidate !== timer);
    };
  };

  /**
   * Moves the time forward, and runs due timers, the earliest first.
   * @param ms milliseconds
   */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const next = this.#timers.filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
    }
    this.#nowMs = untilMs;
  }
}
