/**
 * A list next to the detail of its selected row. Below 1,024 pixels, or where the user wants it,
 * the detail is a page: the list is hidden, and the browser's back button shows it again. The URL
 * has the selected row, and `wide`.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../keys/keys.ts";
import { addressWith, navigate, parameter } from "../routing/address.ts";
import { t } from "../words/words.ts";
import { Icon } from "./icon.tsx";

export function ListAndDetail({
  list,
  detail,
}: {
  readonly list: ComponentChildren;
  readonly detail: ComponentChildren;
}): VNode {
  // Without a detail, `wide` must not hide the list: the whole page would be empty.
  const kind = detail ? `has-detail ${isWide() ? "is-wide" : ""}` : "";
  return (
    <div class={`list-and-detail ${kind}`}>
      <div class="list scrolls">{list}</div>
      {detail}
    </div>
  );
}

/** Whether the detail has the whole page, on a screen that has room for both. */
export function isWide(): boolean {
  return parameter("wide") === "true" && matchMedia("(min-width: 1024px)").matches;
}

export function Detail({
  title,
  about,
  closeTo,
  name,
  actions,
  children,
}: {
  readonly title: ComponentChildren;
  readonly about?: ComponentChildren;
  /** The URL without the detail. */
  readonly closeTo: string;
  /** Identifies the detail: another one starts at the top. */
  readonly name: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const detail = useRef<HTMLElement>(null);
  useKeys({ Escape: () => navigate(closeTo) });
  useEffect(() => {
    detail.current?.scrollTo({ top: 0 });
    // As a page of its own, the detail receives the focus when it opens.
    if (matchMedia("(max-width: 1023px)").matches) {
      scrollTo({ top: 0 });
      detail.current?.querySelector<HTMLElement>("h2")?.focus();
    }
  }, [name]);
  return (
    <section class="detail scrolls" ref={detail} aria-labelledby="detail-title">
      {/* The list has the page's heading. This one replaces it where the list is hidden. */}
      <h1 class="detail-page hidden-words">{name}</h1>
      <header class="detail-head">
        <a class="button quiet small detail-back" href={closeTo}>
          <Icon name="back" />
          {t("parts.back")}
        </a>
        <h2 id="detail-title" tabIndex={-1}>
          {title}
        </h2>
        {about}
        <a
          class="button quiet small detail-wide"
          href={addressWith({ wide: isWide() ? undefined : "true" })}
          aria-label={t(isWide() ? "parts.narrow" : "parts.wide")}
        >
          <Icon name="wide" />
        </a>
        <a class="button quiet small detail-close" href={closeTo} aria-label={t("parts.close")}>
          <Icon name="close" />
        </a>
      </header>
      {actions && <div class="detail-actions">{actions}</div>}
      {children}
    </section>
  );
}
