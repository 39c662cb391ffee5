/**
 * Announcements for screen readers. The console has a single live region, because several would talk over each other.
 */
import type { VNode } from "preact";
import { state } from "../state.ts";

const said = state("");

/** Something done or found, in a few words. Not for what happens all the time. */
export function announce(words: string): void {
  // The same words again are no change, and wouldn't be read.
  said.value = said.value === words ? `${words}\u00a0` : words;
}

export function Announcer(): VNode {
  return (
    <div class="hidden-words" role="status" aria-live="polite">
      {said.value}
    </div>
  );
}
