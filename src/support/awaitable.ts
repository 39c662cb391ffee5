/**
 * Synchronous-or-asynchronous work. An embedded store answers synchronously, most expressions read
 * only loaded data, and most endpoints have nothing to do at most steps. Each `await` costs a tick
 * of the event loop. Awaiting every step took forty ticks per request, a quarter of its processor
 * time.
 */

/** A value, or a promise of one. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Calls `next` with a value, at once if it isn't a promise. An error of `next` is then thrown
 * instead of returned as a rejection.
 */
export function after<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Runs a step for each item, one after another. The next step starts when the previous one has
 * finished.
 */
export function forEachInOrder<T>(items: readonly T[], step: (item: T) => Awaitable<void>): Awaitable<void> {
  for (let at = 0; at < items.length; at += 1) {
    const done = step(items[at] as T);
    if (done instanceof Promise) return forEachRemaining(done, items, at + 1, step);
  }
}

async function forEachRemaining<T>(
  first: Promise<void>,
  items: readonly T[],
  from: number,
  step: (item: T) => Awaitable<void>,
): Promise<void> {
  await first;
  for (const item of items.slice(from)) await step(item);
}

/** Maps the items, one after another. */
export function mapInOrder<T, R>(
  items: readonly T[],
  make: (item: T) => Awaitable<R>,
): Awaitable<readonly R[]> {
  const made: R[] = [];
  const done = forEachInOrder(items, (item) => {
    const awaitable = make(item);
    if (awaitable instanceof Promise) return awaitable.then((value) => void made.push(value));
    made.push(awaitable);
  });
  return done instanceof Promise ? done.then(() => made) : made;
}

/** The result of `work`. If it throws or rejects, the result of `recover` with the error. */
export function withRecovery<T>(
  work: () => Awaitable<T>,
  recover: (error: unknown) => Awaitable<T>,
): Awaitable<T> {
  try {
    const done = work();
    return done instanceof Promise ? done.catch(recover) : done;
  } catch (error) {
    return recover(error);
  }
}
