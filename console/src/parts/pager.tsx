/**
 * Pagination by cursors, which are in the URL. Counts may be unknown or end at a maximum: they
 * never delay rows.
 */
import type { VNode } from "preact";
import { addressWith } from "../routing/address.ts";
import { t } from "../words/words.ts";

export function Pager({
  shown,
  next,
  previous,
}: {
  /** `1–50 of 10,000+`, as the list formats it. */
  readonly shown: string;
  readonly next: string | undefined;
  readonly previous: string | undefined;
}): VNode {
  const step = (cursor: string | undefined, words: string) =>
    cursor === undefined ? (
      <span class="button small" aria-disabled="true">
        {words}
      </span>
    ) : (
      <a class="button small" href={addressWith({ cursor })}>
        {words}
      </a>
    );
  return (
    <nav class="pager" aria-label={t("parts.pages")}>
      <span class="muted number">{shown}</span>
      {step(previous, t("parts.previous"))}
      {step(next, t("parts.next"))}
    </nav>
  );
}
