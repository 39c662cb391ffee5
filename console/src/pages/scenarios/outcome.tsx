/** The outcome of a scenario or a step as a chip. */
import type { VNode } from "preact";
import { Chip, type Tone } from "../../parts/chip.tsx";
import { t } from "../../words/words.ts";

export type Outcome = "passed" | "failed" | "skipped" | "not reached" | null;

const tones: Readonly<Record<Exclude<Outcome, null>, Tone>> = {
  passed: "ok",
  failed: "bad",
  skipped: "warn",
  "not reached": "none",
};

export function OutcomeChip({ outcome }: { readonly outcome: Outcome }): VNode {
  if (outcome === null) return <Chip>{t("scenarios.unrun")}</Chip>;
  const words = outcome === "not reached" ? t("scenarios.notReached") : t(`scenarios.${outcome}`);
  return <Chip tone={tones[outcome]}>{words}</Chip>;
}
