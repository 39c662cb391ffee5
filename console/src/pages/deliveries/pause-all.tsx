/** Shows whether all deliveries are paused, with a button to change it. */
import type { VNode } from "preact";
import { Trouble } from "../../parts/trouble.tsx";
import { t } from "../../words/words.ts";
import { useDoing } from "./doing.ts";

export function PauseAll({
  isPaused,
  again,
}: {
  readonly isPaused: boolean;
  readonly again: () => void;
}): VNode {
  const { post, refused, isDoing } = useDoing();
  const change = () => post(`/api/deliveries/${isPaused ? "resume" : "pause"}`, {}, again);
  return (
    <div class={`pause-all ${isPaused ? "is-paused" : ""}`}>
      {isPaused && <p>{t("deliveries.pausedAll")}</p>}
      <button type="button" class="small" disabled={isDoing} onClick={change}>
        {t(isPaused ? "deliveries.resumeAll" : "deliveries.pauseAll")}
      </button>
      {refused && <Trouble refused={refused} />}
    </div>
  );
}
