/** The state of a delivery as a chip. */
import type { VNode } from "preact";
import type { DeliveryResponse } from "../../../../src/admin/api/deliveries/delivery-response.ts";
import { Chip } from "../../parts/chip.tsx";
import { t } from "../../words/words.ts";

export function StateChip({
  delivery: { state, error },
}: {
  readonly delivery: Pick<DeliveryResponse, "state" | "error">;
}): VNode {
  if (state === "done") return <Chip tone="ok">{t("deliveries.stateDone")}</Chip>;
  if (state === "dead") return <Chip tone="bad">{t("deliveries.stateDead")}</Chip>;
  if (error !== null) return <Chip tone="warn">{t("deliveries.stateFailing")}</Chip>;
  return <Chip>{t("deliveries.stateOpen")}</Chip>;
}
