/** Pauses of a walk: the time that passes before requests, if the clock can be moved. */
import type { Draw } from "../stories/draw.ts";

/** How often time passes before a request, in percent. */
const pausePercent = 4;
/** A duration that takes the service longer to pass isn't passed again, in milliseconds. */
const passingMsMax = 5_000;

export class Pauses {
  #durations: readonly number[];
  readonly #draw: Draw;

  /** @param durations none if the clock can't be moved */
  constructor(durations: readonly number[], draw: Draw) {
    this.#durations = durations;
    this.#draw = draw;
  }

  /** Whether time can pass. */
  get canPass(): boolean {
    return this.#durations.length > 0;
  }

  /** The time that passes before a request, in milliseconds; mostly 0. */
  next(): number {
    const isPaused = this.canPass && this.#draw.happens(pausePercent);
    return (isPaused ? this.#draw.oneOf(this.#durations) : undefined) ?? 0;
  }

  /** Notes how long the service took while a duration passed. */
  note(durationMs: number, tookMs: number): void {
    if (durationMs > 0 && tookMs > passingMsMax)
      this.#durations = this.#durations.filter((length) => length < durationMs);
  }
}
