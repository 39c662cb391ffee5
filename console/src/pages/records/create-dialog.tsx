/**
 * Creates a record. Fields that the service sets can be left empty; a secret that it generates is
 * shown only once.
 */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CreatedRecordResponse } from "../../../../src/admin/api/records/record-changes.ts";
import type {
  ExamplesResponse,
  FieldResponse,
  ResourceResponse,
} from "../../../../src/admin/api/records/resources.ts";
import { call } from "../../api/call.ts";
import { ApiError, asApiError } from "../../api/api-error.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useOneAtATime } from "../../api/use-one-at-a-time.ts";
import { announce } from "../../parts/announcer.tsx";
import { Code } from "../../parts/code.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { navigate } from "../../routing/address.ts";
import { t } from "../../words/words.ts";
import { textsFrom } from "../try-it/request-of.ts";
import { apiPath, recordPaneLink } from "./filter-state.ts";
import type { ProposedRecord } from "./proposed-record.ts";
import { textOf } from "./control.tsx";
import { FormFields, OtherErrors, parseFieldTexts, useFieldTexts, useInvalidFocus } from "./fields-form.tsx";

export function CreateDialog({
  resource,
  start,
  close,
  onCreate,
}: {
  readonly resource: ResourceResponse;
  /** The values that are already known. */
  readonly start: ProposedRecord | undefined;
  readonly close: () => void;
  readonly onCreate: () => void;
}): VNode {
  const fieldTexts = useFieldTexts(textsOf(resource, start?.fields ?? {}));
  const [error, setError] = useState<ApiError>();
  const [created, setCreated] = useState<CreatedRecordResponse>();
  const once = useOneAtATime();
  const form = useRef<HTMLFormElement>(null);
  const settable = resource.fields.filter((field) => field.not_settable?.new === undefined);
  const shownFields = settable.filter((field) => !isSetByService(field) || field.required);
  const serviceSet = settable.filter((field) => !shownFields.includes(field));
  const noteOf = ({ name }: { readonly name: string }) =>
    start?.lacks.includes(name)
      ? t("records.lacks")
      : noteOfField(settable.find((candidate) => candidate.name === name));
  useInvalidFocus(form, error);
  useEffect(() => {
    const [first] = start?.lacks ?? [];
    if (first !== undefined)
      form.current?.querySelector<HTMLElement>(`[data-field="${first}"] input`)?.focus();
  }, []);

  const goTo = ({ record }: CreatedRecordResponse) => {
    close();
    navigate(recordPaneLink(resource.name, record.id));
    onCreate();
  };
  const create = async () => {
    const { values, errors } = parseFieldTexts(settable, fieldTexts.texts);
    if (errors.length > 0) return setError(new ApiError(422, { errors }));
    // An empty field is left to the service.
    const fields = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
    try {
      const answer = await call<CreatedRecordResponse>("POST", apiPath(resource.name), { body: { fields } });
      announce(t("records.didCreate", { id: answer.record.id }));
      if (Object.keys(answer.shown).length > 0) setCreated(answer);
      else goTo(answer);
    } catch (error) {
      setError(asApiError(error));
    }
  };
  if (created) return <ShownOnce shown={created.shown} goOn={() => goTo(created)} />;
  const errors = error?.errors ?? [];
  return (
    <Dialog
      title={t("records.createTitle", { resource: resource.name })}
      close={close}
      kind="form"
      cancels
      actions={
        <button type="submit" form="create-record" class="main">
          {t("records.create")}
        </button>
      }
    >
      <form
        id="create-record"
        ref={form}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void once(create);
        }}
      >
        <Examples resource={resource} fill={fieldTexts.fill} />
        <FormFields fields={shownFields} fieldTexts={fieldTexts} errors={errors} noteOf={noteOf} />
        {serviceSet.length > 0 && (
          <details open={errors.some(({ field }) => serviceSet.some(({ name }) => name === field))}>
            <summary>{t("records.filledIn")}</summary>
            <div class="form">
              <FormFields fields={serviceSet} fieldTexts={fieldTexts} errors={errors} noteOf={noteOf} />
            </div>
          </details>
        )}
        <OtherErrors error={error} fields={settable} />
      </form>
    </Dialog>
  );
}

function isSetByService({ role, filled, set_by_service: isSet }: FieldResponse): boolean {
  return (isSet || role === "identifier") && filled !== "by request";
}

function noteOfField(field: FieldResponse | undefined): string | undefined {
  if (field?.filled) return t(field.filled === "always" ? "records.fillsIn" : "records.fillsByRequest");
  return field?.set_by_service ? t("records.setLater") : undefined;
}

function ShownOnce({
  shown,
  goOn,
}: {
  readonly shown: CreatedRecordResponse["shown"];
  readonly goOn: () => void;
}): VNode {
  return (
    <Dialog
      title={t("records.shownTitle")}
      close={goOn}
      actions={
        <button type="button" class="main" onClick={goOn}>
          {t("records.toRecord")}
        </button>
      }
    >
      <p>{t("records.shownOnce")}</p>
      {Object.entries(shown).map(([name, text]) => (
        <div key={name} class="shown-once">
          <code>{name}</code>
          <Code text={text} label={name} />
        </div>
      ))}
    </Dialog>
  );
}

/** Buttons that fill in the form with the values of a document's scenario. */
function Examples({
  resource,
  fill,
}: {
  readonly resource: ResourceResponse;
  readonly fill: (texts: Readonly<Record<string, string>>) => void;
}): VNode | null {
  const { answer } = useAnswer<ExamplesResponse>(`/api/examples/${encodeURIComponent(resource.name)}`);
  if (!answer || answer.examples.length === 0) return null;
  return (
    <div class="try-examples">
      <span class="muted">{t("tryIt.fill")}</span>
      {answer.examples.map(({ scenario, line, values }) => (
        <button type="button" class="small" key={line} onClick={() => fill(textsFrom(values))}>
          {scenario}
        </button>
      ))}
    </div>
  );
}

function textsOf(
  { fields }: ResourceResponse,
  initialFields: ProposedRecord["fields"],
): Readonly<Record<string, string>> {
  const some = fields.filter(({ name }) => name in initialFields);
  return Object.fromEntries(some.map(({ name, type }) => [name, textOf(initialFields[name], type)]));
}
