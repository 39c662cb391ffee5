/**
 * The steps of a scenario: the request, and the expected and actual response, with differences side
 * by side.
 */
import type { VNode } from "preact";
import type { ScenarioResponse } from "../../../../src/admin/api/document/scenarios.ts";
import { Chip } from "../../parts/chip.tsx";
import { Code } from "../../parts/code.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { t } from "../../words/words.ts";
import { OutcomeChip } from "./outcome.tsx";

type Step = ScenarioResponse["steps"][number];
type Message = NonNullable<Step["request"]>;

/** @param isInDocument whether its lines link to the document; a draft has its own lines */
export function Steps({
  steps,
  isInDocument = true,
}: {
  readonly steps: readonly Step[];
  readonly isInDocument?: boolean;
}): VNode {
  return (
    <ol class="steps">
      {steps.map((step, at) => (
        <li key={at} class={`step is-${step.outcome.replace(" ", "-")}`}>
          <div class="step-head">
            <OutcomeChip outcome={step.outcome} />
            <code class="step-words">{step.words}</code>
            {isInDocument ? (
              <DocumentLine line={step.line} />
            ) : (
              <span class="muted">{t("parts.line", { line: String(step.line) })}</span>
            )}
          </div>
          {step.differences.length > 0 && <Differences step={step} isInDocument={isInDocument} />}
          {step.sides.length > 0 && <Sides step={step} />}
          {step.request && <Messages step={step} />}
        </li>
      ))}
    </ol>
  );
}

function Differences({ step, isInDocument }: { readonly step: Step; readonly isInDocument: boolean }): VNode {
  return (
    <div class="differences-scroll">
      <table class="differences" aria-label={t("scenarios.differences")}>
        <thead>
          <tr>
            <th>{t("scenarios.what")}</th>
            <th>{t("scenarios.expected")}</th>
            <th>{t("scenarios.actual")}</th>
          </tr>
        </thead>
        <tbody>
          {step.differences.map((difference, at) => (
            <tr key={at}>
              <td>
                {difference.what} {isInDocument && <DocumentLine line={difference.line} />}
              </td>
              <td>
                <code class="is-expected">{difference.expected}</code>
              </td>
              <td>
                <code class="is-actual">{difference.actual}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** One row for each line keeps equal keys next to each other, however long their values are. */
function Sides({ step }: { readonly step: Step }): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex lint/a11y/useSemanticElements: what scrolls has to be reached by keyboard.
    <div class="sides-scroll" tabIndex={0} role="group" aria-label={t("scenarios.sides")}>
      <table class="sides">
        <thead>
          <tr>
            <th>{t("scenarios.expected")}</th>
            <th>{t("scenarios.actual")}</th>
          </tr>
        </thead>
        <tbody>
          {step.sides.map(({ expected, actual, verdict }, at) => (
            <tr key={at} class={`is-${verdict}`}>
              <td>
                {expected ?? <span class="muted">{verdict === "more" ? "" : t("scenarios.nothing")}</span>}
              </td>
              <td>
                {actual ?? <span class="muted">{t("scenarios.nothing")}</span>}
                {verdict === "differs" && <Chip tone="bad">{t("scenarios.differs")}</Chip>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Messages({ step: { request, expected, got } }: { readonly step: Step }): VNode {
  return (
    <details class="messages">
      <summary>{t("scenarios.shown")}</summary>
      {request && <MessageText message={request} label={t("scenarios.request")} />}
      {expected && <MessageText message={expected} label={t("scenarios.expectedAnswer")} />}
      {got && <MessageText message={got} label={t("scenarios.answer")} />}
    </details>
  );
}

function MessageText({ message, label }: { readonly message: Message; readonly label: string }): VNode {
  const { first, headers, body } = message;
  const head = [first, ...headers.map(([name, value]) => `${name}: ${value}`)].join("\n");
  return (
    <section>
      <h4>{label}</h4>
      <Code label={label} text={body === null ? head : `${head}\n\n${body}`} />
    </section>
  );
}
