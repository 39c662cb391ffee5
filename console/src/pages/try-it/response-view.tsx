/** The response to a request of *Try it*, and the line that decided it. */
import type { VNode } from "preact";
import type { TryItResponse } from "../../../../src/admin/api/requests/try-it.ts";
import { StatusChip } from "../../parts/chip.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { type KeyValue, KeyValues } from "../../parts/key-values.tsx";
import { linkTo } from "../../routing/links.ts";
import { t } from "../../words/words.ts";
import { DecidingLine } from "../requests/request-detail.tsx";

export function ResponseView({ of }: { readonly of: TryItResponse }): VNode {
  return (
    <section class="try-answer" aria-label={t("tryIt.answer")} aria-live="polite">
      <h2>
        {t("tryIt.answer")} <StatusChip status={of.status} />{" "}
        {of.took_ms !== null && <span class="muted number">{t("tryIt.took", { count: of.took_ms })}</span>}
      </h2>
      {(of.because || of.why !== null) && <DecidingLine of={of} />}
      {of.body === null && <p class="muted">{t("tryIt.noText")}</p>}
      {of.body === "" && <p class="muted">{t("tryIt.noBody")}</p>}
      {of.body && <JsonView text={of.body} label={t("tryIt.answer")} />}
      {of.cut && <p class="muted">{t("tryIt.cut")}</p>}
      <details>
        <summary>{t("tryIt.headers", { count: of.headers.length })}</summary>
        <KeyValues of={of.headers.map(({ name, value }): KeyValue => [name, <code>{value}</code>])} />
      </details>
      {of.id !== null && (
        <p>
          <a class="alone" href={linkTo(["requests", of.id])}>
            {t("tryIt.toRequest")}
          </a>
        </p>
      )}
    </section>
  );
}
