/** Selector for the display of times on all pages: relative, local, or UTC. */
import type { VNode } from "preact";
import { timeFormatSetting } from "../parts/time.tsx";
import { t } from "../words/words.ts";

export function TimesChooser(): VNode {
  return (
    <select
      class="times"
      aria-label={t("shell.times")}
      value={timeFormatSetting.value}
      onChange={(event) => {
        timeFormatSetting.value = event.currentTarget.value as typeof timeFormatSetting.value;
      }}
    >
      {(["relative", "local", "utc"] as const).map((display) => (
        <option key={display} value={display}>
          {t(`shell.times_${display}`)}
        </option>
      ))}
    </select>
  );
}
