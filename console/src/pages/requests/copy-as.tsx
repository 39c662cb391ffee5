/** Copies of a request: a shell command, and a scenario to paste into the document. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { CurlResponse } from "../../../../src/admin/api/requests/requests.ts";
import type { RequestScenarioResponse } from "../../../../src/admin/api/requests/requests.ts";
import { call } from "../../api/call.ts";
import { type ApiError, asApiError } from "../../api/api-error.ts";
import { announce } from "../../parts/announcer.tsx";
import { Code } from "../../parts/code.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { t } from "../../words/words.ts";
import { tryMarkdown } from "../scenarios/draft.ts";

export function CopyAs({ path }: { readonly path: string }): VNode {
  const [scenario, setScenario] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const runWork = async (work: () => Promise<void>) => {
    setError(undefined);
    try {
      await work();
    } catch (error) {
      setError(asApiError(error));
    }
  };
  const copyCurl = () =>
    runWork(async () => {
      const { curl } = await call<CurlResponse>("GET", `${path}/curl`);
      await navigator.clipboard.writeText(curl).then(
        () => announce(t("parts.copied")),
        () => announce(t("parts.copyFailed")),
      );
    });
  const createScenario = () =>
    runWork(async () =>
      setScenario((await call<RequestScenarioResponse>("GET", `${path}/scenario`)).markdown),
    );
  return (
    <>
      <button type="button" class="small" onClick={() => void copyCurl()}>
        {t("requests.curl")}
      </button>
      <button type="button" class="small" onClick={() => void createScenario()}>
        {t("requests.scenario")}
      </button>
      {error && <ErrorNotice error={error} />}
      {scenario !== undefined && (
        <Dialog
          title={t("requests.scenarioTitle")}
          close={() => setScenario(undefined)}
          kind="wide"
          actions={
            <button type="button" class="main" onClick={() => tryMarkdown(scenario)}>
              {t("requests.scenarioTry")}
            </button>
          }
        >
          <p class="muted">{t("requests.scenarioHint")}</p>
          <Code text={scenario} label={t("requests.scenarioTitle")} />
        </Dialog>
      )}
    </>
  );
}
