/** A block of code with a button to copy it. */
import type { VNode } from "preact";
import { CopyButton } from "./copy-button.tsx";

export function Code({
  text,
  label,
  copies = true,
  wraps = true,
}: {
  readonly text: string;
  /** A name for screen readers. */
  readonly label: string;
  readonly copies?: boolean;
  /** Whether long lines wrap; otherwise the block scrolls. */
  readonly wraps?: boolean;
}): VNode {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex lint/a11y/useSemanticElements: what scrolls has to be reached by keyboard. */}
      <pre class={wraps ? "wraps" : ""} tabIndex={0} role="group" aria-label={label}>
        <code>{text}</code>
      </pre>
      {copies && <CopyButton text={text} />}
    </div>
  );
}
