/**
 * What all of the page may look at: the address, the token, the clock. A value that changes has the page shown anew as a whole, which takes
 * a few milliseconds at most and happens when somebody does something; what comes by the stream is kept by those who show it.
 */

/** A value that may be looked at, and followed. */
export interface Seen<T> {
  readonly value: T;
  /** Calls with every change; the answer ends it. */
  subscribe(take: () => void): () => void;
}

/** A value that may be set too. */
export interface State<T> extends Seen<T> {
  value: T;
}

let show = (): void => {};
let isToShow = false;

/** Names what shows the page anew. */
export function showBy(again: () => void): void {
  show = again;
}

function showSoon(): void {
  if (isToShow) return;
  isToShow = true;
  // All that one event changes is shown at once.
  queueMicrotask(() => {
    isToShow = false;
    show();
  });
}

/** @param begins the value until another is set */
export function state<T>(begins: T): State<T> {
  let now = begins;
  const takers = new Set<() => void>();
  return {
    get value() {
      return now;
    },
    set value(next) {
      if (Object.is(now, next)) return;
      now = next;
      for (const take of [...takers]) take();
      showSoon();
    },
    subscribe(take) {
      takers.add(take);
      return () => void takers.delete(take);
    },
  };
}

/** What another value says, worked out when it is looked at. */
export function derived<From, T>(from: Seen<From>, derive: (value: From) => T): Seen<T> {
  return {
    get value() {
      return derive(from.value);
    },
    subscribe: from.subscribe,
  };
}
