/** Copies a text to the clipboard, and confirms it. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../words/words.ts";
import { announce } from "./announcer.tsx";
import { Icon } from "./icon.tsx";

/** How long the confirmation is shown, in milliseconds. */
const doneMs = 1_600;

export function CopyButton({
  text,
  label = t("parts.copy"),
  isQuiet = true,
}: {
  readonly text: string | (() => string);
  readonly label?: string;
  readonly isQuiet?: boolean;
}): VNode {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), doneMs);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = () =>
    navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => {
        setDone(true);
        announce(t("parts.copied"));
      },
      () => announce(t("parts.copyFailed")),
    );
  return (
    <button type="button" class={`small copy ${isQuiet ? "quiet" : ""}`} onClick={copy}>
      <Icon name={isDone ? "done" : "copy"} />
      {isDone ? t("parts.copied") : label}
    </button>
  );
}
