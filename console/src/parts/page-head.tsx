/**
 * The head of a page: its name, which is also the window title, and its actions. Navigation to a
 * page moves the focus here.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect } from "preact/hooks";
import { service } from "../shell/service.ts";
import { t } from "../words/words.ts";

export function PageHead({
  title,
  about,
  actions,
}: {
  readonly title: string;
  /** Content next to the name: chips, a count. */
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
}): VNode {
  const name = service.value?.name ?? t("shell.product");
  useEffect(() => {
    document.title = t("shell.title", { page: title, service: name });
  }, [title, name]);
  return (
    <header class="page-head">
      <h1 tabIndex={-1}>{title}</h1>
      {about && <div class="page-about">{about}</div>}
      {actions && <div class="page-actions">{actions}</div>}
    </header>
  );
}
