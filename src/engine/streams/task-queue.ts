/**
 * Task queue: a limited number of tasks runs at the same time, and the others wait. Queries of
 * streams use the same connections as requests. Without a limit, thousands of queries would delay
 * those of a request, and thousands of results would block the event loop.
 */
export class TaskQueue {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    try {
      return await work();
    } finally {
      // The next task in the queue gets the free slot.
      const next = this.#line.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
