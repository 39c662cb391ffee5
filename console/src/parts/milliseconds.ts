/** A duration with about three digits. */
import { t } from "../words/words.ts";

export function milliseconds(ms: number): string {
  const rounded = ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2);
  return t("requests.milliseconds", { count: rounded });
}
