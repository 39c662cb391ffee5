/**
 * Runs a scenario that isn't in the document yet: whether it can be parsed and passes, before the
 * user pastes it.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { TryScenarioResponse } from "../../../../src/admin/api/document/scenarios.ts";
import { call } from "../../api/call.ts";
import { useAction } from "../../api/use-action.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Field } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { t } from "../../words/words.ts";
import { draft, runsOnOpen } from "./draft.ts";
import { OutcomeChip } from "./outcome.tsx";
import { Steps } from "./steps.tsx";
import { Views } from "./views.tsx";

export function TryScenario(): VNode {
  const [trial, setTrial] = useState<TryScenarioResponse>();
  const { isRunning, error, run } = useAction();
  const tryIt = () => {
    setTrial(undefined);
    return run(async () => {
      const answer = await call<TryScenarioResponse>("POST", "/api/scenarios/try", {
        query: { space: undefined },
        body: { markdown: draft.value },
      });
      setTrial(answer);
      return verdictOf(answer);
    });
  };
  useEffect(() => {
    if (!runsOnOpen.value) return;
    runsOnOpen.value = false;
    void tryIt();
  }, []);
  return (
    <>
      <PageHead title={t("scenarios.tryOne")} />
      <Views current="try" />
      {/* Above the draft, which may be long. */}
      {isRunning && <p class="verdict">{t("scenarios.trying")}</p>}
      {trial && (
        <p class={`verdict ${passes(trial) ? "is-passed" : "is-failed"}`}>
          {trial.stopped ?? verdictOf(trial)}
        </p>
      )}
      <form
        class="try-scenario"
        onSubmit={(event) => {
          event.preventDefault();
          void tryIt();
        }}
      >
        <Field label={t("scenarios.markdown")} hint={t("scenarios.tryHint")}>
          {(control) => (
            <textarea
              {...control}
              class="mono"
              rows={rowsOf(draft.value)}
              spellcheck={false}
              value={draft.value}
              onInput={(event) => {
                draft.value = event.currentTarget.value;
              }}
            />
          )}
        </Field>
        <div class="actions">
          <button type="submit" class="main" disabled={isRunning || draft.value.trim() === ""}>
            {t("scenarios.tryRun")}
          </button>
          <CopyButton text={() => draft.value} label={t("scenarios.copyMarkdown")} isQuiet={false} />
        </div>
      </form>
      {error && <ErrorNotice error={error} />}
      {trial && <TrialResult trial={trial} />}
    </>
  );
}

/** The height of the editor: the whole draft, up to a maximum. */
function rowsOf(text: string): number {
  return Math.min(80, Math.max(8, text.split("\n").length + 1));
}

function passes({ mistakes, scenarios }: TryScenarioResponse): boolean {
  const isUnderstood = !mistakes.some(({ severity }) => severity === "error");
  return isUnderstood && scenarios.length > 0 && scenarios.every(({ outcome }) => outcome === "passed");
}

function verdictOf(trial: TryScenarioResponse): string {
  const { mistakes, before } = trial;
  if (mistakes.some(({ severity }) => severity === "error")) return t("scenarios.tryMistakes");
  return passes(trial) ? t("scenarios.tryPassed", { line: String(before) }) : t("scenarios.tryFailed");
}

function TrialResult({ trial }: { readonly trial: TryScenarioResponse }): VNode {
  return (
    <section class="tried">
      {trial.mistakes.length > 0 && (
        <ul class="mistakes">
          {trial.mistakes.map(({ line, message, hint }, at) => (
            <li key={at}>
              {t("scenarios.tryMistakeAt", { line: String(line), message })}
              {hint && <p class="muted">{hint}</p>}
            </li>
          ))}
        </ul>
      )}
      {trial.scenarios.map((scenario) => (
        <section key={scenario.name}>
          <h2>
            {scenario.name} <OutcomeChip outcome={scenario.outcome} />
          </h2>
          <Steps steps={scenario.steps} isInDocument={false} />
        </section>
      ))}
    </section>
  );
}
