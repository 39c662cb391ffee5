/** Whether what is shown is as it is now. A lost stream is told here and nowhere else: nothing lies over the page because of it. */
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
