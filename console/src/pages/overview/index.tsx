/** The overview: what is served, what the document says of it, and how it is going. */
import type { VNode } from "preact";
import { PageHead } from "../../parts/page-head.tsx";
import { t } from "../../words/words.ts";
import type { Page } from "../page.ts";

function Overview(): VNode {
  return <PageHead title={t("overview.title")} />;
}

export const page: Page = { name: "overview", paths: ["/"], key: "o", component: Overview };
