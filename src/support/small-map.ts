/**
 * Insertion-ordered map for a few text keys: two lists with linear search. Every request creates
 * several, and creating a `Map` costs as much as a dozen lookups here.
 */
export class SmallMap<V> implements Iterable<readonly [string, V]> {
  readonly #keys: string[] = [];
  readonly #values: V[] = [];

  /** @param entries the initial entries */
  constructor(entries?: Iterable<readonly [string, V]>) {
    if (entries) for (const [key, value] of entries) this.set(key, value);
  }

  get(key: string): V | undefined {
    return this.#values[this.#keys.indexOf(key)];
  }

  has(key: string): boolean {
    return this.#keys.includes(key);
  }

  set(key: string, value: V): void {
    const at = this.#keys.indexOf(key);
    if (at !== -1) this.#values[at] = value;
    else {
      this.#keys.push(key);
      this.#values.push(value);
    }
  }

  delete(key: string): void {
    const at = this.#keys.indexOf(key);
    if (at === -1) return;
    this.#keys.splice(at, 1);
    this.#values.splice(at, 1);
  }

  *[Symbol.iterator](): Iterator<readonly [string, V]> {
    for (let at = 0; at < this.#keys.length; at += 1) yield [this.#keys[at] as string, this.#values[at] as V];
  }

  /** Iterates over the entries without allocating them. */
  forEach(look: (value: V, key: string) => void): void {
    for (let at = 0; at < this.#keys.length; at += 1) look(this.#values[at] as V, this.#keys[at] as string);
  }
}
