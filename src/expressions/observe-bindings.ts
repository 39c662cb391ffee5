/**
 * Observed bindings: which names and types each expression of a document had. An editor completes an
 * expression with the scope of its last compilation.
 */
import type { Phrase } from "../source/phrase.ts";
import type { Scope } from "./scope.ts";
import type { Type } from "./type.ts";

export interface ObservedBinding {
  /** Without backticks. */
  readonly phrase: Phrase;
  readonly scope: Scope;
  readonly expected: Type | undefined;
}

let observer: ((binding: ObservedBinding) => void) | undefined;

/** Runs `work` and returns its result with the bindings in it, in their order. */
export function observeBindings<T>(work: () => T): {
  readonly result: T;
  readonly bindings: readonly ObservedBinding[];
} {
  const outer = observer;
  const bindings: ObservedBinding[] = [];
  observer = (binding) => bindings.push(binding);
  try {
    return { result: work(), bindings };
  } finally {
    observer = outer;
  }
}

/** Called by the binder for each expression, before it is read. */
export function noteBinding(phrase: Phrase, scope: Scope, expected: Type | undefined): void {
  observer?.({ phrase, scope, expected });
}
