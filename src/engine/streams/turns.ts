/**
 * So many are at work at a time, and the others wait in line. What streams ask of a database goes by the way that requests go by: thousands of
 * questions at once would stand before those of a request, and thousands of answers keep the event loop from it.
 */
export class Turns {
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
      // Who is next has the place of this one.
      const next = this.#line.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
