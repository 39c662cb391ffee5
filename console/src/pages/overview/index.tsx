/** The overview: what is served, its health, and what its document states and leaves open. */
import "./style.css";
import type { VNode } from "preact";
import type { LiveResponse, OverviewResponse } from "../../../../src/admin/api/document/overview.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useFrames, useLatest } from "../../api/use-topic.ts";
import { Chip } from "../../parts/chip.tsx";
import { Code } from "../../parts/code.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { linkTo } from "../../routing/links.ts";
import { t } from "../../words/words.ts";
import type { Page } from "../page.ts";
import { Gaps } from "./gaps.tsx";
import { Machine } from "./machine.tsx";
import { NineParts } from "./nine-parts.tsx";
import { Vitals } from "./vitals.tsx";

function Overview(): VNode {
  const { answer, error, again } = useAnswer<OverviewResponse>("/api/overview");
  const live = useLatest<LiveResponse>("overview");
  // Another document may be served now.
  useFrames("overview", (frame) => {
    if (frame.kind === "begin") again();
  });
  return (
    <>
      <PageHead title={t("overview.title")} about={answer && <About answer={answer} />} />
      {error && <ErrorNotice error={error} again={again} />}
      {answer && (
        <div class="overview">
          <FirstRequest curl={answer.curl} />
          <Vitals live={live ?? answer.live} />
          <Gaps gaps={answer.gaps} />
          <NineParts items={answer.items} />
          <Machine answer={answer} live={live ?? answer.live} />
        </div>
      )}
    </>
  );
}

function About({ answer }: { readonly answer: OverviewResponse }): VNode {
  return (
    <>
      {answer.is_sandbox && <Chip tone="info">{t("overview.sandbox")}</Chip>}
      <code>{answer.service}</code>
      <span>{t("overview.endpoints", { count: answer.endpoints })}</span>
      <span>{t("overview.resources", { count: answer.resources })}</span>
    </>
  );
}

function FirstRequest({ curl }: { readonly curl: string | null }): VNode {
  return (
    <section aria-labelledby="first-request">
      <h2 id="first-request">{t("overview.firstTitle")}</h2>
      {curl === null ? (
        <p class="muted">
          <a href={linkTo(["try"])}>{t("overview.noFirst")}</a>
        </p>
      ) : (
        <Code text={curl} label={t("overview.first")} />
      )}
    </section>
  );
}

export const page: Page = { name: "overview", paths: ["/"], key: "o", component: Overview };
