/** Navigation: the list of pages, at the side of the page or, on a phone, in a drawer. */
import type { VNode } from "preact";
import { Icon, isIcon } from "../parts/icon.tsx";
import { pages } from "../pages/index.ts";
import type { Page } from "../pages/page.ts";
import { linkTo } from "../routing/links.ts";
import { place } from "../routing/router.ts";
import { t } from "../words/words.ts";
import { service } from "./service.ts";

export function availablePages(): readonly Page[] {
  const served = service.value;
  return pages.filter((page) => !page.isThere || (served !== undefined && page.isThere(served)));
}

/** The URL of a page without captures. */
export function linkToPage(page: Page): string {
  return linkTo(page.paths[0].split("/").filter(Boolean));
}

export function Navigation({ onGo }: { readonly onGo?: () => void }): VNode {
  return (
    <nav class="navigation" aria-label={t("shell.navigation")}>
      <ul>
        {availablePages().map((page) => (
          <li key={page.name}>
            <a
              href={linkToPage(page)}
              aria-current={place.value?.page === page ? "page" : undefined}
              aria-keyshortcuts={`g ${page.key}`}
              onClick={onGo}
            >
              {isIcon(page.name) && <Icon name={page.name} />}
              {t(`shell.${page.name}` as "shell.overview")}
            </a>
          </li>
        ))}
      </ul>
      <ul class="navigation-more">
        <li>
          <a href="/docs/" target="_blank" rel="noreferrer">
            <Icon name="docs" />
            {t("shell.docs")}
          </a>
        </li>
      </ul>
    </nav>
  );
}
