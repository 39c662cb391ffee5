/**
 * Creation of records by `Given` lines, and reset of the data space. An error in a line is shown
 * with its position.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import type { ApiError } from "../../api/api-error.ts";
import { Field } from "../../parts/field.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { t } from "../../words/words.ts";
import { Confirm, type Question } from "./confirm.tsx";
import { useAction } from "../../api/use-action.ts";

/** @param onChange called when the data space has been replaced */
export function Seed({ onChange }: { readonly onChange: () => void }): VNode {
  const sandboxAction = useAction();
  const [markdown, setMarkdown] = useState("");
  const [question, setQuestion] = useState<Question>();
  const add = () =>
    sandboxAction.run(async () => {
      const { records } = await call<{ readonly records: readonly unknown[] }>("POST", "/api/seed", {
        body: { markdown },
      });
      setMarkdown("");
      onChange();
      return t("sandbox.added", { count: records.length });
    });
  const reset = (isSeeded: boolean) =>
    setQuestion({
      title: t("sandbox.resetTitle"),
      why: t("sandbox.resetWhy"),
      action: isSeeded ? t("sandbox.reset") : t("sandbox.resetEmpty"),
      onConfirm: () =>
        void sandboxAction.run(async () => {
          const { made } = await call<{ readonly made: number }>("POST", "/api/reset", {
            body: { seed: isSeeded },
          });
          onChange();
          return t("sandbox.resetDone", { count: made });
        }),
    });
  const places = placesOf(sandboxAction.error);
  return (
    <section aria-labelledby="seed">
      <h2 id="seed">{t("sandbox.seed")}</h2>
      {sandboxAction.error && places.length === 0 && <ErrorNotice error={sandboxAction.error} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Field
          label={t("sandbox.given")}
          hint={t("sandbox.givenHint")}
          error={places.length > 0 ? places.join("\n") : undefined}
        >
          {(control) => (
            <textarea
              {...control}
              required
              rows={4}
              spellcheck={false}
              value={markdown}
              onInput={(event) => setMarkdown(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions">
          <button type="submit" class="main" disabled={sandboxAction.isRunning}>
            {t("sandbox.add")}
          </button>
          <button type="button" disabled={sandboxAction.isRunning} onClick={() => reset(true)}>
            {t("sandbox.reset")}
          </button>
          <button type="button" disabled={sandboxAction.isRunning} onClick={() => reset(false)}>
            {t("sandbox.resetEmpty")}
          </button>
        </div>
      </form>
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </section>
  );
}

interface TextError {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** The positions of wrong lines as text; empty for other errors. */
function placesOf(error: ApiError | undefined): readonly string[] {
  const errors = (error?.problem["errors"] ?? []) as readonly Partial<TextError>[];
  return errors.flatMap(({ line, column, message }) =>
    line === undefined || column === undefined || message === undefined
      ? []
      : [t("sandbox.at", { line: String(line), column: String(column), message })],
  );
}
