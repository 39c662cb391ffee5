/**
 * Time limits of writes: one timer for the whole group limits the time of each write that waits for
 * something. Most writes finish before the event loop ticks once, and a timer for each would cost
 * more than the write.
 */
import { WriteTimedOut } from "./errors.ts";
import type { Machine } from "../support/machine.ts";

export class WriteWatch {
  readonly #limitMs: number;
  readonly #machine: Machine;
  #takeBack: (() => void) | undefined;
  #startedAt = 0;
  #expire: (() => void) | undefined;

  constructor(limitMs: number, machine: Machine) {
    this.#limitMs = limitMs;
    this.#machine = machine;
  }

  bounded<T>(running: Promise<T>): Promise<T> {
    this.#startedAt = this.#machine.elapsed();
    this.#takeBack ??= this.#machine.after(this.#limitMs, () => this.#check());
    return new Promise<T>((resolve, reject) => {
      this.#expire = () => reject(new WriteTimedOut(this.#limitMs));
      running.then(resolve, reject);
    });
  }

  unbounded<T>(running: Promise<T>): Promise<T> {
    this.#expire = undefined;
    return running;
  }

  stop(): void {
    this.#expire = undefined;
    this.#takeBack?.();
  }

  #check(): void {
    const leftMs = this.#startedAt + this.#limitMs - this.#machine.elapsed();
    if (leftMs <= 0) this.#expire?.();
    const nextMs = Math.max(1, leftMs > 0 ? leftMs : this.#limitMs);
    this.#takeBack = this.#machine.after(nextMs, () => this.#check());
  }
}
