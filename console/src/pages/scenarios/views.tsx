/** The three views of the page, as links with their own URLs. */
import type { VNode } from "preact";
import { linkTo } from "../../routing/links.ts";
import { t } from "../../words/words.ts";

export type View = "list" | "coverage" | "try";

export function Views({ current }: { readonly current: View }): VNode {
  const link = (view: View, label: string, pieces: readonly string[]) => (
    <a
      class="view"
      href={linkTo(["scenarios", ...pieces])}
      aria-current={view === current ? "page" : undefined}
    >
      {label}
    </a>
  );
  return (
    <nav class="views" aria-label={t("scenarios.views")}>
      {link("list", t("scenarios.list"), [])}
      {link("coverage", t("scenarios.coverage"), ["coverage"])}
      {link("try", t("scenarios.tryOne"), ["try"])}
    </nav>
  );
}
