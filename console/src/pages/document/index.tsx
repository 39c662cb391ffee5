/** The document, rendered with the numbers of its lines, which everything else leads to. */
import type { VNode } from "preact";
import { PageHead } from "../../parts/page-head.tsx";
import { t } from "../../words/words.ts";
import type { Page } from "../page.ts";

function DocumentPage(): VNode {
  return <PageHead title={t("document.title")} />;
}

export const page: Page = { name: "document", paths: ["/document"], key: "m", component: DocumentPage };
