/**
 * The possible transitions of a record: each with the reason if it isn't possible, who may fire it,
 * and its button.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { CreatedRecordResponse } from "../../../../src/admin/api/records/record-changes.ts";
import type { TransitionResponse } from "../../../../src/admin/api/records/record-responses.ts";
import type { RecordResponse } from "../../../../src/admin/api/records/records.ts";
import { call } from "../../api/call.ts";
import { ApiError, asApiError } from "../../api/api-error.ts";
import { useOneAtATime } from "../../api/use-one-at-a-time.ts";
import { announce } from "../../parts/announcer.tsx";
import { Chip } from "../../parts/chip.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { t } from "../../words/words.ts";
import { apiPath } from "./filter-state.ts";
import { FormFields, OtherErrors, parseFieldTexts, useFieldTexts } from "./fields-form.tsx";

const tones = { yes: "ok", no: "none", depends: "warn" } as const;

export function Transitions({
  answer,
  onChange,
}: {
  readonly answer: RecordResponse;
  readonly onChange: () => void;
}): VNode {
  const [selected, setSelected] = useState<TransitionResponse>();
  const { transitions } = answer;
  if (transitions.length === 0) return <Empty title={t("records.noTransitions")} />;
  return (
    <>
      <ul class="plain transitions">
        {transitions.map((transition) => (
          <li key={transition.name} class={`transition is-${transition.possible}`}>
            <div class="transition-head">
              <strong>{transition.name}</strong>
              <Chip tone={tones[transition.possible]}>{t(`records.is_${transition.possible}`)}</Chip>
              <DocumentLine line={transition.line} />
              {transition.possible !== "no" && (
                <button type="button" class="small" onClick={() => setSelected(transition)}>
                  {t("records.take", { transition: transition.name })}
                </button>
              )}
            </div>
            {transition.why && <p>{transition.why}</p>}
            <Ends transition={transition} />
          </li>
        ))}
      </ul>
      {selected && (
        <FireDialog
          answer={answer}
          transition={selected}
          close={() => setSelected(undefined)}
          onChange={onChange}
        />
      )}
    </>
  );
}

function Ends({
  transition: { ends, taken_by: takenBy },
}: {
  readonly transition: TransitionResponse;
}): VNode {
  return (
    <ul class="plain muted">
      {ends.map(({ from, to, trigger, line, guard }) => (
        <li key={line + trigger}>
          {t("records.end", {
            from: from === "any" ? t("records.anyState") : from.join(", "),
            to: to ?? t("records.sameState"),
            trigger,
          })}
          {guard && (
            <ul class="plain guard">
              {guard.parts.map(({ text, holds, values }) => (
                <li key={text}>
                  <Chip tone={holds === "no" ? "bad" : tones[holds]}>{t(`records.holds_${holds}`)}</Chip>{" "}
                  <code>{text}</code> <DocumentLine line={guard.line} />
                  {values.map(({ name, value }) => (
                    <span key={name} class="guard-value">
                      {withCode(t("records.valueIs", { name, value: value ?? t("records.hidden") }))}
                    </span>
                  ))}
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
      {takenBy.map(({ name, line, allowed }) => (
        <li key={name + line}>
          {t("records.takenBy", { name })} <DocumentLine line={line} />
          {allowed.map((condition) => (
            <span key={condition.line}>
              {" "}
              <code>{condition.text}</code>
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

function FireDialog({
  answer: { record, resource },
  transition,
  close,
  onChange,
}: {
  readonly answer: RecordResponse;
  readonly transition: TransitionResponse;
  readonly close: () => void;
  readonly onChange: () => void;
}): VNode {
  const fieldTexts = useFieldTexts();
  const [error, setError] = useState<ApiError>();
  const once = useOneAtATime();
  const { name, inputs } = transition;
  const fire = async () => {
    const { values, errors } = parseFieldTexts(inputs, fieldTexts.texts);
    if (errors.length > 0) return setError(new ApiError(422, { errors }));
    try {
      const path = apiPath(resource.name, record.id, "transitions", name);
      const sentInputs = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
      await call<CreatedRecordResponse>("POST", path, {
        body: { revision: record.revision, inputs: sentInputs },
      });
      announce(t("records.took", { transition: name }));
      close();
      onChange();
    } catch (error) {
      const failure = asApiError(error);
      setError(failure);
      // The displayed state is outdated.
      if (failure.status === 409) onChange();
    }
  };
  return (
    <Dialog
      title={t("records.takeTitle", { transition: name })}
      close={close}
      cancels
      actions={
        <button type="submit" form="take-transition" class="main">
          {t("records.take", { transition: name })}
        </button>
      }
    >
      <form
        id="take-transition"
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void once(fire);
        }}
      >
        {transition.possible === "depends" && <p>{t("records.dependsHint")}</p>}
        {inputs.length === 0 && <p>{t("records.noInputs")}</p>}
        <FormFields fields={inputs} fieldTexts={fieldTexts} errors={error?.errors ?? []} />
        <OtherErrors error={error} fields={inputs} />
      </form>
    </Dialog>
  );
}
