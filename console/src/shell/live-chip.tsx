/**
 * Chip for the state of the stream: whether the page is current. A lost stream is shown here only,
 * so no message covers the page.
 */
import type { VNode } from "preact";
import { streamState } from "../api/stream.ts";
import { t } from "../words/words.ts";

export function LiveChip(): VNode {
  const state = streamState.value;
  return (
    <span
      class={`live ${state}`}
      title={t(state === "reconnecting" ? "shell.reconnectingHint" : "shell.liveHint")}
    >
      <span class="live-dot" aria-hidden="true" />
      {t(`shell.${state}`)}
    </span>
  );
}
