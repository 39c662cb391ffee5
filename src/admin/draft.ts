/**
 * The text that was saved last and isn't served, while `--watch` runs: it has mistakes, or something else stands in its way, and what was
 * served before goes on.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";

export interface Draft {
  readonly text: string;
  /** The diagnostics of `check`. */
  readonly diagnostics: readonly Diagnostic[];
  /** Why it isn't served, in words. */
  readonly reason: string;
}

export interface DraftBoard {
  /** Null where what is served is what was saved last. */
  readonly now: Draft | null;
  show(draft: Draft | null): void;
  /** Called with each change; the answer ends it. */
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
