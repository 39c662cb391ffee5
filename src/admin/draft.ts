/**
 * Draft: the last saved text, while `--watch` runs and the text isn't served. The text has
 * mistakes, or something else prevents serving it. The previous text is still served.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";

export interface Draft {
  readonly text: string;
  /** The diagnostics of `check`. */
  readonly diagnostics: readonly Diagnostic[];
  /** The reason why the draft isn't served, as text. */
  readonly reason: string;
}

export interface DraftBoard {
  /** Null if the last saved text is served. */
  readonly now: Draft | null;
  show(draft: Draft | null): void;
  /** Called with each change; the returned function unsubscribes. */
  watch(changed: () => void): () => void;
}

export function createDraftBoard(): DraftBoard {
  const watchers = new Set<() => void>();
  let now: Draft | null = null;
  return {
    get now() {
      return now;
    },
    show(draft) {
      now = draft;
      for (const watcher of watchers) watcher();
    },
    watch(changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}
