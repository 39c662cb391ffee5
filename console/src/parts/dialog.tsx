/**
 * A modal dialog: the browser's own, which keeps the focus inside, closes on Escape, and restores
 * the focus.
 */
import type { ComponentChildren, VNode } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../words/words.ts";
import { Icon } from "./icon.tsx";

export function Dialog({
  title,
  close,
  children,
  cancels,
  actions,
  kind = "",
}: {
  readonly title: string;
  /** Called when the user closes the dialog, which is shown while it is rendered. */
  readonly close: () => void;
  readonly children: ComponentChildren;
  /** A button that closes the dialog, before the others; a text is its label. */
  readonly cancels?: true | string;
  /** Buttons at its end; the confirming one comes last. */
  readonly actions?: ComponentChildren;
  /** A variant of its style: `drawer`, `palette`. */
  readonly kind?: "" | "drawer" | "palette" | "wide" | "form";
}): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  // Runs before any effect of the component that renders it, because such an effect may move the
  // focus.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    // Focuses the element for which the dialog was opened, else its first button.
    dialog.current?.querySelector<HTMLElement>("[data-focus]")?.focus();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the dialog's own.
    <dialog
      ref={dialog}
      class={kind}
      aria-labelledby={name}
      onClose={close}
      onClick={(event) => {
        // A click on the backdrop closes the dialog.
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div class="dialog-inside">
        <header class={kind === "palette" ? "hidden-words" : ""}>
          <h2 id={name}>{title}</h2>
          <button
            type="button"
            class="quiet small"
            aria-label={t("parts.close")}
            onClick={() => dialog.current?.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        {children}
        {(cancels || actions) && (
          <footer>
            {cancels && (
              <button type="button" onClick={() => dialog.current?.close()}>
                {cancels === true ? t("parts.cancel") : cancels}
              </button>
            )}
            {actions}
          </footer>
        )}
      </div>
    </dialog>
  );
}
