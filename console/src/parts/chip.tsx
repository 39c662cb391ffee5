/** A word on a ground of colour: a state, a status, a kind. The word says it; the colour helps those who see it. */
import type { ComponentChildren, VNode } from "preact";

/** `gap` is for gaps of the document alone. */
export type Tone = "ok" | "warn" | "bad" | "info" | "gap" | "none";

export function Chip({
  tone = "none",
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <span class={`chip ${tone}`} title={title}>
      {children}
    </span>
  );
}

/** An HTTP status, in the colour of its kind. */
export function StatusChip({ status }: { readonly status: number }): VNode {
  const tone = status >= 500 ? "bad" : status >= 400 ? "warn" : status >= 300 ? "info" : "ok";
  return <span class={`chip status ${tone}`}>{status}</span>;
}
