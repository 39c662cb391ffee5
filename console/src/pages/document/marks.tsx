/** The diagnostics of a line: the mistake or the gap, and the hint. */
import type { VNode } from "preact";
import type { Mark } from "../../../../src/admin/api/document/document.ts";
import { Chip, type Tone } from "../../parts/chip.tsx";
import { Code } from "../../parts/code.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { t } from "../../words/words.ts";

export type MarkKind = "mistake" | "warning" | "note" | "gap";

export function kindOf({ kind, severity }: Mark): MarkKind {
  if (kind === "gap") return "gap";
  return severity === "error" ? "mistake" : severity;
}

const tones: Readonly<Record<MarkKind, Tone>> = {
  mistake: "bad",
  warning: "warn",
  note: "none",
  gap: "gap",
};

export function toneOf(mark: Mark): Tone {
  return tones[kindOf(mark)];
}

export function Marks({ of }: { readonly of: readonly Mark[] }): VNode | null {
  if (of.length === 0) return null;
  return (
    <ul class="marks">
      {of.map((mark) => (
        <li key={`${mark.line} ${mark.column} ${mark.code} ${mark.message}`} class={`mark ${toneOf(mark)}`}>
          <p>
            <Chip tone={toneOf(mark)}>{t(`document.${kindOf(mark)}`)}</Chip> {withCode(mark.message)}
          </p>
          {mark.hint && <p class="mark-hint">{withCode(mark.hint)}</p>}
          {mark.corrected && <Code text={mark.corrected} label={t("document.corrected")} />}
        </li>
      ))}
    </ul>
  );
}
