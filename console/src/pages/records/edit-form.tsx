/**
 * In-place editing of a record. Unsaved values are marked. On an edit conflict nothing is written:
 * the form shows both values, and the user chooses.
 */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CreatedRecordResponse } from "../../../../src/admin/api/records/record-changes.ts";
import type { FieldResponse } from "../../../../src/admin/api/records/resources.ts";
import type { StoredRecordResponse } from "../../../../src/admin/api/records/record-responses.ts";
import type { RecordResponse } from "../../../../src/admin/api/records/records.ts";
import { call } from "../../api/call.ts";
import { ApiError, asApiError } from "../../api/api-error.ts";
import { useOneAtATime } from "../../api/use-one-at-a-time.ts";
import { announce } from "../../parts/announcer.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { t } from "../../words/words.ts";
import { apiPath } from "./filter-state.ts";
import { textOf } from "./control.tsx";
import { FormFields, OtherErrors, parseFieldTexts, useFieldTexts, useInvalidFocus } from "./fields-form.tsx";

export function EditForm({
  answer: { record, resource },
  at,
  end,
}: {
  readonly answer: RecordResponse;
  /** The field that the user chose to edit. */
  readonly at: string | undefined;
  readonly end: (isSaved: boolean) => void;
}): VNode {
  const fieldTexts = useFieldTexts();
  /** The record that edits are compared with: as first shown, or as it was at a conflict. */
  const [base, setBase] = useState(record);
  const [error, setError] = useState<ApiError>();
  const [conflict, setConflict] = useState<StoredRecordResponse>();
  const once = useOneAtATime();
  const form = useRef<HTMLFormElement>(null);
  const fields = resource.fields.filter(
    (field) => field.not_settable?.edit === undefined && (!field.hidden || field.type.kind === "password"),
  );
  const startOf = (name: string, from: StoredRecordResponse) => {
    const field = fields.find((field) => field.name === name);
    return field ? textOf(from.fields[name], field.type) : "";
  };
  const edits = Object.entries(fieldTexts.texts).filter(([name, text]) => text !== startOf(name, base));
  // The field that the user pointed at, else the first one that callers can change too.
  useEffect(() => {
    const first = fields.find(({ set_by_service: isSet, immutable }) => !isSet && !immutable) ?? fields[0];
    const name = fields.find((field) => field.name === at)?.name ?? first?.name ?? "";
    const control = `[data-field="${CSS.escape(name)}"] :is(input, select, textarea)`;
    form.current?.querySelector<HTMLElement>(control)?.focus();
  }, []);
  useInvalidFocus(form, error);

  const save = async (revision: number) => {
    setConflict(undefined);
    const { values, errors } = parseFieldTexts(fields, Object.fromEntries(edits));
    if (errors.length > 0) return setError(new ApiError(422, { errors }));
    try {
      await call<CreatedRecordResponse>("PATCH", apiPath(resource.name, record.id), {
        body: { revision, fields: values },
      });
      announce(t("records.saved"));
      end(true);
    } catch (thrown) {
      const error = asApiError(thrown);
      const now =
        error.status === 409 ? (error.problem["now"] as StoredRecordResponse | undefined) : undefined;
      if (now) setConflict(now);
      else setError(error);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (edits.length === 0) end(false);
  };
  return (
    <form
      ref={form}
      class="form edit-form"
      noValidate
      aria-label={t("records.editing")}
      onSubmit={(event) => {
        event.preventDefault();
        if (edits.length === 0) end(false);
        else void once(() => save(base.revision));
      }}
      onKeyDown={onKeyDown}
    >
      <EditBar count={edits.length} discard={() => end(false)} />
      <OtherErrors error={error} fields={fields} />
      <FormFields
        fields={fields.map((field) => ({ ...field, required: false }))}
        fieldTexts={fieldTexts}
        startText={({ name }) => startOf(name, base)}
        errors={error?.errors ?? []}
        noteOf={({ name }) => noteOfField(fields.find((field) => field.name === name))}
      />
      {conflict && (
        <ConflictDialog
          edits={edits}
          base={base}
          now={conflict}
          startOf={startOf}
          close={() => setConflict(undefined)}
          takeTheirs={() => end(true)}
          writeMine={() => {
            setBase(conflict);
            void once(() => save(conflict.revision));
          }}
        />
      )}
    </form>
  );
}

function noteOfField(field: FieldResponse | undefined): string | undefined {
  if (field?.set_by_service) return t("records.setByService");
  return field?.immutable ? t("records.immutable") : undefined;
}

function EditBar({ count, discard }: { readonly count: number; readonly discard: () => void }): VNode {
  return (
    <div class="edit-bar">
      <button type="submit" class="main" disabled={count === 0}>
        {count === 0 ? t("records.save") : t("records.saveCount", { count })}
      </button>
      <button type="button" onClick={discard}>
        {t("records.discard")}
      </button>
    </div>
  );
}

function ConflictDialog({
  edits,
  base,
  now,
  startOf,
  close,
  takeTheirs,
  writeMine,
}: {
  readonly edits: readonly (readonly [name: string, text: string])[];
  readonly base: StoredRecordResponse;
  readonly now: StoredRecordResponse;
  readonly startOf: (name: string, from: StoredRecordResponse) => string;
  readonly close: () => void;
  readonly takeTheirs: () => void;
  readonly writeMine: () => void;
}): VNode {
  const otherChanges = Object.keys(now.fields).filter(
    (name) =>
      !edits.some(([edited]) => edited === name) &&
      JSON.stringify(now.fields[name]) !== JSON.stringify(base.fields[name]),
  );
  const displayText = (text: string) => (text === "" ? t("records.nothing") : text);
  return (
    <Dialog
      title={t("records.conflictTitle")}
      close={close}
      kind="wide"
      cancels={t("records.goOnEditing")}
      actions={
        <>
          <button type="button" onClick={takeTheirs}>
            {t("records.takeTheirs")}
          </button>
          <button type="button" class="main" onClick={writeMine}>
            {t("records.writeMine")}
          </button>
        </>
      }
    >
      <p>{t("records.conflict", { revision: String(now.revision), seen: String(base.revision) })}</p>
      <table class="conflict">
        <thead>
          <tr>
            <th scope="col">{t("records.field")}</th>
            <th scope="col">{t("records.wasValue")}</th>
            <th scope="col">{t("records.theirValue")}</th>
            <th scope="col">{t("records.myValue")}</th>
          </tr>
        </thead>
        <tbody>
          {edits.map(([name, text]) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{displayText(startOf(name, base))}</td>
              <td>{displayText(startOf(name, now))}</td>
              <td>{displayText(text)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {otherChanges.length > 0 && <p>{t("records.othersChanged", { fields: otherChanges.join(", ") })}</p>}
    </Dialog>
  );
}
