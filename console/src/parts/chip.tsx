/**
 * A label on a coloured background: a state, a status, a kind. The text carries the meaning, and
 * the colour supports it.
 */
import type { ComponentChildren, VNode } from "preact";

/** `gap` is only for gaps of the document. */
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

/** An HTTP status in the colour of its class. */
export function StatusChip({ status }: { readonly status: number }): VNode {
  const tone = status >= 500 ? "bad" : status >= 400 ? "warn" : status >= 300 ? "info" : "ok";
  return <span class={`chip status ${tone}`}>{status}</span>;
}
