/**
 * Problems of the service, on every page: a store that is full or missing, or a document that was
 * saved with mistakes under `--watch`.
 */
import type { VNode } from "preact";
import type { AlertsResponse } from "../../../src/admin/api/document/alerts.ts";
import { useLatest } from "../api/use-topic.ts";
import { Icon } from "../parts/icon.tsx";
import { linkToLine } from "../routing/links.ts";
import { t } from "../words/words.ts";

export function AlertBanner(): VNode | null {
  const alerts = useLatest<AlertsResponse>("trouble");
  if (!alerts?.store && !alerts?.document) return null;
  const { store, document } = alerts;
  return (
    <div class="banners" role="alert">
      {store && (
        <p class="banner bad">
          <Icon name="warning" />
          <span>
            <strong>{t("shell.troubleStore")}.</strong> {store}
          </span>
        </p>
      )}
      {document && (
        <p class="banner warn">
          <Icon name="warning" />
          <span>
            <strong>{t("shell.troubleDocument")}.</strong> {document.reason}{" "}
            <a href={linkToLine(document.line)}>{t("shell.troubleDocumentLink")}</a>
          </span>
        </p>
      )}
    </div>
  );
}
