/**
 * Runs a scenario that isn't in the document yet: whether it can be parsed and passes, before the
 * user pastes it.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { TryScenarioResponse } from "../../../../src/admin/api/scenarios.ts";
import { call } from "../../api/call.ts";
import { Refused } from "../../api/refused.ts";
import { announce } from "../../parts/announcer.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Field } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { t } from "../../words/words.ts";
import { draft, isToBeTried } from "./draft.ts";
import { OutcomeChip } from "./outcome.tsx";
import { Steps } from "./steps.tsx";
import { Views } from "./views.tsx";

export function TryScenario(): VNode {
  const [tried, setTried] = useState<TryScenarioResponse>();
  const [refused, setRefused] = useState<Refused>();
  const [isUnderWay, setUnderWay] = useState(false);
  const tryIt = async () => {
    setUnderWay(true);
    setTried(undefined);
    setRefused(undefined);
    try {
      const answer = await call<TryScenarioResponse>("POST", "/api/scenarios/try", {
        query: { space: undefined },
        body: { markdown: draft.value },
      });
      setTried(answer);
      announce(verdictOf(answer));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setRefused(error);
    } finally {
      setUnderWay(false);
    }
  };
  useEffect(() => {
    if (!isToBeTried.value) return;
    isToBeTried.value = false;
    void tryIt();
  }, []);
  return (
    <>
      <PageHead title={t("scenarios.tryOne")} />
      <Views shown="try" />
      {/* Above the draft, which may be long. */}
      {isUnderWay && <p class="verdict">{t("scenarios.trying")}</p>}
      {tried && (
        <p class={`verdict ${passes(tried) ? "is-passed" : "is-failed"}`}>
          {tried.stopped ?? verdictOf(tried)}
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
          <button type="submit" class="main" disabled={isUnderWay || draft.value.trim() === ""}>
            {t("scenarios.tryRun")}
          </button>
          <CopyButton text={() => draft.value} label={t("scenarios.copyMarkdown")} isQuiet={false} />
        </div>
      </form>
      {refused && <Trouble refused={refused} />}
      {tried && <Tried tried={tried} />}
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

function verdictOf(tried: TryScenarioResponse): string {
  const { mistakes, before } = tried;
  if (mistakes.some(({ severity }) => severity === "error")) return t("scenarios.tryMistakes");
  return passes(tried) ? t("scenarios.tryPassed", { line: String(before) }) : t("scenarios.tryFailed");
}

function Tried({ tried }: { readonly tried: TryScenarioResponse }): VNode {
  return (
    <section class="tried">
      {tried.mistakes.length > 0 && (
        <ul class="mistakes">
          {tried.mistakes.map(({ line, message, hint }, at) => (
            <li key={at}>
              {t("scenarios.tryMistakeAt", { line: String(line), message })}
              {hint && <p class="muted">{hint}</p>}
            </li>
          ))}
        </ul>
      )}
      {tried.scenarios.map((scenario) => (
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
