/**
 * Announcements for screen readers. The console has a single live region, because several would
 * interrupt each other.
 */
import type { VNode } from "preact";
import { state } from "../state.ts";

const announcement = state("");

/** Announces a result in a few words. Not for continuous updates. */
export function announce(words: string): void {
  // Repeating the same text is no change, and would not be read out.
  announcement.value = announcement.value === words ? `${words}\u00a0` : words;
}

export function Announcer(): VNode {
  return (
    <div class="hidden-words" role="status" aria-live="polite">
      {announcement.value}
    </div>
  );
}
