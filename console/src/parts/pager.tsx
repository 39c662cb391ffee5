/**
 * Pagination by cursors, which are in the URL, with the number of the page. Counts may be unknown or
 * end at a maximum: they never delay rows.
 */
import type { VNode } from "preact";
import { addressWith, parameter } from "../routing/address.ts";
import { numberText, t } from "../words/words.ts";

export function Pager({
  countText,
  next,
  previous,
}: {
  /** `50 of 10,000+`, as the list formats it. */
  readonly countText: string;
  readonly next: string | undefined;
  readonly previous: string | undefined;
}): VNode {
  const page = pageNumber();
  const step = (cursor: string | undefined, by: 1 | -1, words: string) =>
    cursor === undefined ? (
      <span class="button small" aria-disabled="true">
        {words}
      </span>
    ) : (
      <a
        class="button small"
        href={addressWith({ cursor, page: page === undefined ? undefined : String(page + by) })}
      >
        {words}
      </a>
    );
  return (
    <nav class="pager" aria-label={t("parts.pages")}>
      <span class="muted number">
        {page !== undefined && (page > 1 || next !== undefined) && (
          <>
            {t("parts.page", { page: numberText(page) })}
            {" · "}
          </>
        )}
        {countText}
      </span>
      {step(previous, -1, t("parts.previous"))}
      {step(next, 1, t("parts.next"))}
    </nav>
  );
}

/** Without a cursor it is the first page; undefined where a link has a cursor alone. */
function pageNumber(): number | undefined {
  if (parameter("cursor") === undefined) return 1;
  const page = Number(parameter("page"));
  return Number.isSafeInteger(page) && page > 0 ? page : undefined;
}
