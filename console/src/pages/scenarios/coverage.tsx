/** Coverage of the document's rules by the scenarios, part by part, with links to their lines. */
import type { VNode } from "preact";
import type { CoverageResponse, ScenariosResponse } from "../../../../src/admin/api/document/scenarios.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Chip } from "../../parts/chip.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { addressWith, parameter } from "../../routing/address.ts";
import { listText, percentText, t } from "../../words/words.ts";
import { Views } from "./views.tsx";

type Part = CoverageResponse["parts"][number];
type Rule = Part["rules"][number];

export function Coverage(): VNode {
  const everywhere = { space: undefined };
  const scenarios = useAnswer<ScenariosResponse>("/api/scenarios", everywhere);
  const isNothingRun = scenarios.answer?.coverage === null;
  const { answer, error, again } = useAnswer<CoverageResponse>(
    scenarios.answer && !isNothingRun ? "/api/scenarios/coverage" : undefined,
    everywhere,
  );
  const shownError = error ?? scenarios.error;
  const showsAll = parameter("show") === "all";
  return (
    <>
      <PageHead
        title={t("scenarios.coverage")}
        about={answer && <Chip tone="info">{shareText(answer)}</Chip>}
        actions={
          answer && (
            <a class="button" href={addressWith({ show: showsAll ? undefined : "all" })}>
              {showsAll ? t("scenarios.showUnmet") : t("scenarios.showAll")}
            </a>
          )
        }
      />
      <Views current="coverage" />
      {shownError && <ErrorNotice error={shownError} again={error ? again : scenarios.again} />}
      {isNothingRun && (
        <Empty title={t("scenarios.nothingRun")}>
          <p>{t("scenarios.nothingRunHint")}</p>
        </Empty>
      )}
      {answer && (
        <div class="coverage">
          <p>
            {t("scenarios.met", { met: answer.met, of: answer.of })}{" "}
            <span class="muted">{t("scenarios.coverageHint")}</span>
          </p>
          {answer.parts.map((part) => (
            <PartCoverage key={part.part} part={part} showsAll={showsAll} />
          ))}
        </div>
      )}
    </>
  );
}

/** Rounded down, so that 100 % means all. */
function shareText({ met, of }: { readonly met: number; readonly of: number }): string {
  return percentText(of === 0 ? 1 : Math.floor((100 * met) / of) / 100);
}

function PartCoverage({ part, showsAll }: { readonly part: Part; readonly showsAll: boolean }): VNode {
  const rules = showsAll ? part.rules : part.rules.filter(isUnmet);
  return (
    <section class="covered-part">
      <h2>
        {part.title} <span class="number muted">{shareText(part)}</span>
      </h2>
      <meter min={0} max={part.of} value={part.met} aria-label={part.title}>
        {shareText(part)}
      </meter>
      {rules.length === 0 ? (
        <p class="muted">{t("scenarios.allMet")}</p>
      ) : (
        <ul class="rules">
          {rules.map((rule, at) => (
            <li key={at}>
              <code class="rule-subject">{rule.subject}</code> <DocumentLine line={rule.line} />
              <Sides rule={rule} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Sides({ rule }: { readonly rule: Rule }): VNode {
  return (
    <span class="rule-sides">
      {rule.sides.map(({ side, by }) =>
        by.length === 0 ? (
          <Chip key={side} tone="warn">
            {t("scenarios.notCovered", { side })}
          </Chip>
        ) : (
          <Chip
            key={side}
            tone="ok"
            title={t("scenarios.metBy", { side, scenarios: listText(by.slice(0, 5)) })}
          >
            {side}
          </Chip>
        ),
      )}
    </span>
  );
}

function isUnmet({ sides }: Rule): boolean {
  return sides.some(({ by }) => by.length === 0);
}
