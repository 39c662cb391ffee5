/** What is wrong with the service, on every page: a store that is full or gone, a document that was broken while it is watched. */
import type { VNode } from "preact";
import { useLatest } from "../api/use-topic.ts";
import { Icon } from "../parts/icon.tsx";
import { linkTo } from "../routing/links.ts";
import { t } from "../words/words.ts";

/** The value of the topic `trouble`. */
interface TroubleTold {
  readonly store: string | null;
  readonly document: { readonly mistakes: number; readonly line: number } | null;
}

export function TroubleBanner(): VNode | null {
  const trouble = useLatest<TroubleTold>("trouble");
  if (!trouble?.store && !trouble?.document) return null;
  return (
    <div class="banners" role="alert">
      {trouble.store && (
        <p class="banner bad">
          <Icon name="warning" />
          <span>
            <strong>{t("shell.troubleStore")}.</strong> {trouble.store}
          </span>
        </p>
      )}
      {trouble.document && (
        <p class="banner warn">
          <Icon name="warning" />
          <span>
            <strong>{t("shell.troubleDocument")}.</strong>{" "}
            <a href={`${linkTo(["document"])}#L${trouble.document.line}`}>{t("shell.troubleDocumentLink")}</a>
          </span>
        </p>
      )}
    </div>
  );
}
