/** Shows whether all deliveries are paused, with a button to change it. */
import type { VNode } from "preact";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { t } from "../../words/words.ts";
import { useDeliveryAction } from "./delivery-action.ts";

export function PauseAll({
  isPaused,
  again,
}: {
  readonly isPaused: boolean;
  readonly again: () => void;
}): VNode {
  const { post, error, isRunning } = useDeliveryAction();
  const change = () => post(`/api/deliveries/${isPaused ? "resume" : "pause"}`, {}, again);
  return (
    <div class={`pause-all ${isPaused ? "is-paused" : ""}`}>
      {isPaused && <p>{t("deliveries.pausedAll")}</p>}
      <button type="button" class="small" disabled={isRunning} onClick={change}>
        {t(isPaused ? "deliveries.resumeAll" : "deliveries.pauseAll")}
      </button>
      {error && <ErrorNotice error={error} />}
    </div>
  );
}
