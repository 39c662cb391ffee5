/**
 * Global state of the page: the URL, the token, the clock. A change renders the whole page again,
 * which takes a few milliseconds and happens only on user actions. Components keep the updates of
 * the stream themselves.
 */

/** A value that can be read and observed. */
export interface Signal<T> {
  readonly value: T;
  /** Calls back on every change; the returned function stops it. */
  subscribe(take: () => void): () => void;
}

/** A value that can also be set. */
export interface WritableSignal<T> extends Signal<T> {
  value: T;
}

let show = (): void => {};
let isToShow = false;

/** Sets the function that renders the page. */
export function setRenderer(again: () => void): void {
  show = again;
}

function showSoon(): void {
  if (isToShow) return;
  isToShow = true;
  // All changes of one event are rendered at once.
  queueMicrotask(() => {
    isToShow = false;
    show();
  });
}

/** @param initial the initial value */
export function state<T>(initial: T): WritableSignal<T> {
  let now = initial;
  const takers = new Set<() => void>();
  return {
    get value() {
      return now;
    },
    set value(next) {
      if (Object.is(now, next)) return;
      now = next;
      for (const listener of [...takers]) listener();
      showSoon();
    },
    subscribe(listener) {
      takers.add(listener);
      return () => void takers.delete(listener);
    },
  };
}

/** A value derived from another, computed on each read. */
export function derived<From, T>(from: Signal<From>, derive: (value: From) => T): Signal<T> {
  return {
    get value() {
      return derive(from.value);
    },
    subscribe: from.subscribe,
  };
}
