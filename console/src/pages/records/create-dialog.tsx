/**
 * Creates a record. Fields that the service sets can be left empty; a secret that it generates is
 * shown only once.
 */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CreatedRecordResponse } from "../../../../src/admin/api/record-changes.ts";
import type {
  ExamplesResponse,
  FieldResponse,
  ResourceResponse,
} from "../../../../src/admin/api/resources.ts";
import { call } from "../../api/call.ts";
import { Refused } from "../../api/refused.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useOneAtATime } from "../../api/use-one-at-a-time.ts";
import { announce } from "../../parts/announcer.tsx";
import { Code } from "../../parts/code.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { navigate } from "../../routing/address.ts";
import { t } from "../../words/words.ts";
import { filledFrom } from "../try-it/request-of.ts";
import { apiPath, nextToList } from "./filter-state.ts";
import type { Started } from "./started.ts";
import { textOf } from "./control.tsx";
import { FormFields, otherErrors, readTyped, useTyped } from "./fields-form.tsx";

export function CreateDialog({
  resource,
  start,
  close,
  onCreate,
}: {
  readonly resource: ResourceResponse;
  /** The values that are already known. */
  readonly start: Started | undefined;
  readonly close: () => void;
  readonly onCreate: () => void;
}): VNode {
  const typed = useTyped(textsOf(resource, start?.fields ?? {}));
  const [refused, setRefused] = useState<Refused>();
  const [made, setMade] = useState<CreatedRecordResponse>();
  const once = useOneAtATime();
  const form = useRef<HTMLFormElement>(null);
  const settable = resource.fields.filter((field) => field.not_settable?.new === undefined);
  const isSetByService = ({ role, filled, set_by_service: isSet }: FieldResponse) =>
    (isSet || role === "identifier") && filled !== "by request";
  const own = settable.filter((field) => !isSetByService(field) || field.required);
  const filled = settable.filter((field) => !own.includes(field));
  const noteOf = ({ name }: { readonly name: string }) => {
    const field = settable.find((one) => one.name === name);
    if (start?.lacks.includes(name)) return t("records.lacks");
    if (field?.filled) return t(field.filled === "always" ? "records.fillsIn" : "records.fillsByRequest");
    return field?.set_by_service ? t("records.setLater") : undefined;
  };
  useEffect(() => {
    if (refused) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refused]);

  useEffect(() => {
    const [first] = start?.lacks ?? [];
    if (first !== undefined)
      form.current?.querySelector<HTMLElement>(`[data-field="${first}"] input`)?.focus();
  }, []);

  const goTo = ({ record }: CreatedRecordResponse) => {
    close();
    navigate(nextToList(resource.name, record.id));
    onCreate();
  };
  const create = async () => {
    const { values, errors } = readTyped(settable, typed.texts);
    if (errors.length > 0) {
      setRefused(new Refused(422, { errors }));
      return;
    }
    // An empty field is left to the service.
    const fields = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
    try {
      const answer = await call<CreatedRecordResponse>("POST", apiPath(resource.name), { body: { fields } });
      announce(t("records.didCreate", { id: answer.record.id }));
      if (Object.keys(answer.shown).length > 0) setMade(answer);
      else goTo(answer);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setRefused(error);
    }
  };
  if (made)
    return (
      <Dialog
        title={t("records.shownTitle")}
        close={() => goTo(made)}
        actions={
          <button type="button" class="main" onClick={() => goTo(made)}>
            {t("records.toRecord")}
          </button>
        }
      >
        <p>{t("records.shownOnce")}</p>
        {Object.entries(made.shown).map(([name, text]) => (
          <div key={name} class="shown-once">
            <code>{name}</code>
            <Code text={text} label={name} />
          </div>
        ))}
      </Dialog>
    );
  const errors = refused?.errors ?? [];
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
        <Examples resource={resource} fill={typed.fill} />
        <FormFields fields={own} typed={typed} errors={errors} noteOf={noteOf} />
        {filled.length > 0 && (
          <details open={errors.some(({ field }) => filled.some(({ name }) => name === field))}>
            <summary>{t("records.filledIn")}</summary>
            <div class="form">
              <FormFields fields={filled} typed={typed} errors={errors} noteOf={noteOf} />
            </div>
          </details>
        )}
        {refused && (errors.length === 0 || otherErrors(errors, settable).length > 0) && (
          <Trouble refused={refused} />
        )}
      </form>
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
        <button type="button" class="small" key={line} onClick={() => fill(filledFrom(values))}>
          {scenario}
        </button>
      ))}
    </div>
  );
}

function textsOf({ fields }: ResourceResponse, known: Started["fields"]): Readonly<Record<string, string>> {
  const some = fields.filter(({ name }) => name in known);
  return Object.fromEntries(some.map(({ name, type }) => [name, textOf(known[name], type)]));
}
