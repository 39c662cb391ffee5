/** The nine parts with their 26 items: the document's answer to each, and its line. */
import type { VNode } from "preact";
import type { OverviewResponse } from "../../../../src/admin/api/document/overview.ts";
import { linkToLine } from "../../routing/links.ts";
import { t } from "../../words/words.ts";

type Item = OverviewResponse["items"][number];

const words = {
  stated: "overview.answerStated",
  none: "overview.answerNone",
  "not shown": "overview.answerNotShown",
  silent: "overview.answerSilent",
} as const;

/**
 * With more open items than this, all items are listed at once; otherwise the gaps above are
 * enough.
 */
const openMost = 5;

export function NineParts({ items }: { readonly items: readonly Item[] }): VNode {
  const parts = [...new Set(items.map(({ part }) => part))];
  const count = (answer: Item["answer"]) => items.filter((item) => item.answer === answer).length;
  const others = [
    count("none") > 0 && t("overview.none", { count: count("none") }),
    count("not shown") > 0 && t("overview.notShown", { count: count("not shown") }),
    count("silent") > 0 && t("overview.silent", { count: count("silent") }),
  ].filter((text) => text !== false);
  return (
    <section aria-labelledby="nine-parts">
      <h2 id="nine-parts">
        {t("overview.saysTitle")}
        <span class="section-about">
          {[t("overview.says", { stated: count("stated") }), ...others].join(" · ")}
        </span>
      </h2>
      <details open={count("not shown") + count("silent") > openMost}>
        <summary>{t("overview.allItems")}</summary>
        <ol class="nine-parts">
          {parts.map((part) => (
            <li key={part} class="nine-part">
              <h3>{part}</h3>
              <ul>
                {items
                  .filter((item) => item.part === part)
                  .map(({ item, answer, line }) => (
                    <li key={item} class={`item ${answer.replace(" ", "-")}`}>
                      <span class="item-dot" aria-hidden="true" />
                      <a href={linkToLine(line)}>{item}</a>
                      <span class="item-answer">{t(words[answer])}</span>
                    </li>
                  ))}
              </ul>
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}
