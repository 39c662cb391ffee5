/** The gaps of the document, each with its line and what would close it. */
import type { VNode } from "preact";
import type { OverviewResponse } from "../../../../src/admin/api/document/overview.ts";
import { Chip } from "../../parts/chip.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { t } from "../../words/words.ts";

export function Gaps({ gaps }: { readonly gaps: OverviewResponse["gaps"] }): VNode {
  return (
    <section aria-labelledby="gaps">
      <h2 id="gaps">
        {t("overview.gapsTitle")}
        {gaps.length > 0 && <Chip tone="gap">{gaps.length}</Chip>}
      </h2>
      {gaps.length === 0 ? (
        <p class="muted">{t("overview.noGaps")}</p>
      ) : (
        <ul class="gaps">
          {gaps.map(({ line, message, hint }) => (
            <li key={`${line} ${message}`}>
              <DocumentLine line={line} />
              <span>{withCode(message)}</span>
              {hint && <span class="muted">{withCode(hint)}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
