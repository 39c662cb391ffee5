/**
 * One record next to the list: its fields, transitions, references in both directions, and history.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { RecordResponse } from "../../../../src/admin/api/records/records.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useKeys } from "../../keys/keys.ts";
import { Chip } from "../../parts/chip.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { KeyValues } from "../../parts/key-values.tsx";
import { Detail, isWide } from "../../parts/list-and-detail.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { numberText, t } from "../../words/words.ts";
import { apiPath, filteredLink, listLink, recordLink } from "./filter-state.ts";
import { Plain } from "./cell.tsx";
import { useChangedRecords } from "./changed-records.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EditForm } from "./edit-form.tsx";
import { HistoryOf } from "./history.tsx";
import { Transitions } from "./transitions.tsx";

export interface RecordProperties {
  readonly resource: string;
  readonly id: string;
  /** Called after a change: the list must be fetched again. */
  readonly onChange: () => void;
}

export function RecordDetail({ resource, id, onChange }: RecordProperties): VNode {
  const { answer, error, again } = useAnswer<RecordResponse>(apiPath(resource, id));
  /**
   * A user who edits keeps the values that they have seen. A change by someone else is marked, and
   * becomes a conflict on saving.
   */
  const [editedAnswer, setEditedAnswer] = useState<RecordResponse>();
  const [editedAt, setEditedAt] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const row = answer?.record.row ?? Number.POSITIVE_INFINITY;
  const isChanged = useChangedRecords(resource, answer, row, again).has(row);
  useEffect(() => setEditedAnswer(undefined), [resource, id]);
  useEffect(() => {
    if (isChanged) again();
  }, [isChanged]);
  const isEditing = editedAnswer !== undefined;
  const canChange = answer !== undefined && !answer.record.deleted;
  const edit = (field?: string) => {
    if (!canChange) return;
    setEditedAt(field);
    setEditedAnswer(answer);
  };
  useKeys({ ...(canChange && !isEditing ? { e: () => edit() } : {}) });
  const onSaved = () => {
    again();
    onChange();
  };
  const title = answer ? nameOf(answer) : id;
  return (
    <Detail
      title={title}
      name={`${resource} ${id}`}
      closeTo={listLink(resource)}
      about={
        answer && (
          <About
            answer={answer}
            isChanged={isEditing && editedAnswer.record.revision !== answer.record.revision}
          />
        )
      }
      actions={
        canChange && (
          <>
            {/* The buttons stay in place while the record is edited: no other button moves
               under the pointer after saving. */}
            <button type="button" aria-keyshortcuts="e" disabled={isEditing} onClick={() => edit()}>
              {t("records.edit")}
            </button>
            <button type="button" class="danger" disabled={isEditing} onClick={() => setDeleting(true)}>
              {t("records.delete")}
            </button>
            <CopyButton text={id} label={t("records.copyId")} isQuiet={false} />
          </>
        )
      }
    >
      {error && <ErrorNotice error={error} again={again} />}
      {editedAnswer && (
        <EditForm
          answer={editedAnswer}
          at={editedAt}
          end={(hasChanged) => {
            setEditedAnswer(undefined);
            if (hasChanged) onSaved();
          }}
        />
      )}
      {answer && !isEditing && <RecordTabs answer={answer} onChange={onSaved} edit={edit} />}
      {answer && isDeleting && (
        <DeleteDialog
          resource={resource}
          record={answer.record}
          close={() => setDeleting(false)}
          onDelete={onChange}
          again={again}
        />
      )}
    </Detail>
  );
}

/** The label if there is one; the identifier is shown in any case. */
function nameOf({ resource, record }: RecordResponse): string {
  const label = resource.label === null ? null : (record.fields[resource.label] ?? null);
  return label === null || label === "" ? record.id : String(label);
}

function About({
  answer,
  isChanged,
}: {
  readonly answer: RecordResponse;
  readonly isChanged: boolean;
}): VNode {
  const { record, resource } = answer;
  const state = resource.state === null ? undefined : record.fields[resource.state];
  return (
    <>
      {state !== undefined && state !== null && <Chip tone="info">{String(state)}</Chip>}
      {record.deleted && <Chip tone="bad">{t("records.deleted")}</Chip>}
      {isChanged && <Chip tone="warn">{t("records.changedMeanwhile")}</Chip>}
      <span class="muted number">{t("records.revision", { revision: String(record.revision) })}</span>
    </>
  );
}

function RecordTabs({
  answer,
  onChange,
  edit,
}: {
  readonly answer: RecordResponse;
  readonly onChange: () => void;
  readonly edit: (field: string) => void;
}): VNode {
  const { record, referrers, transitions, resource } = answer;
  if (isWide()) return <WholeRecord answer={answer} onChange={onChange} edit={edit} />;
  const open = transitions.filter(({ possible }) => possible !== "no").length;
  return (
    <Tabs
      label={t("records.about")}
      parameter="tab"
      of={[
        { name: "fields", label: t("records.fields"), content: () => <Fields answer={answer} edit={edit} /> },
        {
          name: "possible",
          label: <Counted words={t("records.possible")} count={open} />,
          content: () => <Transitions answer={answer} onChange={onChange} />,
        },
        {
          name: "refers",
          label: <Counted words={t("records.refersTo")} count={Object.keys(record.references).length} />,
          content: () => <RefersTo answer={answer} />,
        },
        {
          name: "referred",
          label: (
            <Counted
              words={t("records.referredBy")}
              count={referrers.reduce((sum, { count }) => sum + (count ?? 0), 0)}
            />
          ),
          content: () => <ReferredBy answer={answer} />,
        },
        {
          name: "history",
          label: t("records.history"),
          content: () => <HistoryOf resource={resource.name} record={record} />,
        },
      ]}
    />
  );
}

/** The whole record on one page, where there is space for it. */
function WholeRecord({
  answer,
  onChange,
  edit,
}: {
  readonly answer: RecordResponse;
  readonly onChange: () => void;
  readonly edit: (field: string) => void;
}): VNode {
  return (
    <div class="whole-record">
      <section>
        <h3>{t("records.fields")}</h3>
        <Fields answer={answer} edit={edit} />
      </section>
      <div>
        <section>
          <h3>{t("records.possible")}</h3>
          <Transitions answer={answer} onChange={onChange} />
        </section>
        <section>
          <h3>{t("records.refersTo")}</h3>
          <RefersTo answer={answer} />
        </section>
        <section>
          <h3>{t("records.referredBy")}</h3>
          <ReferredBy answer={answer} />
        </section>
        <section>
          <h3>{t("records.history")}</h3>
          <HistoryOf resource={answer.resource.name} record={answer.record} />
        </section>
      </div>
    </div>
  );
}

function Counted({ words, count }: { readonly words: string; readonly count: number }): VNode {
  return (
    <>
      {words}
      {count > 0 && <span class="muted number"> {countText(count)}</span>}
    </>
  );
}

/** A count at the maximum means that many or more. */
export function countText(count: number): string {
  return count > 10_000 ? t("records.manyCount", { count: numberText(10_000) }) : numberText(count);
}

function Fields({
  answer,
  edit,
}: {
  readonly answer: RecordResponse;
  readonly edit: (field: string) => void;
}): VNode {
  const { record, resource, due, shown } = answer;
  const editAt = ({ target }: MouseEvent) => {
    const value = (target as Element).closest("dd") ?? (target as Element).closest("dt");
    const name = (value?.tagName === "DD" ? value.previousElementSibling : value)?.textContent;
    const field = resource.fields.find((field) => field.name === name);
    if (field && field.not_settable?.edit === undefined) edit(field.name);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut of pointers; by keyboard it is `e` and Tab.
    <div onDblClick={editAt}>
      {due.map(({ transition, at }) => (
        <p key={at + transition} class="due">
          {transition === null ? t("records.deletedAt") : t("records.dueAt", { transition })} <Time at={at} />
        </p>
      ))}
      <KeyValues
        of={resource.fields.map((field): [ComponentChildren, ComponentChildren] => [
          <code key={field.name} title={field.meaning || undefined}>
            {field.name}
          </code>,
          field.hidden ? (
            <span class="nothing">{t("records.hidden")}</span>
          ) : (
            <FullValue field={field} record={record} />
          ),
        ])}
      />
      <details class="as-shown">
        <summary>{t("records.asShown")}</summary>
        <JsonView text={JSON.stringify(shown)} label={t("records.asShown")} />
      </details>
    </div>
  );
}

function FullValue({
  field,
  record,
}: {
  readonly field: RecordResponse["resource"]["fields"][number];
  readonly record: RecordResponse["record"];
}): VNode {
  const value = record.fields[field.name] ?? null;
  const reference = record.references[field.name];
  if (reference)
    return (
      <a href={recordLink(reference.resource, reference.id)}>
        {reference.label === null ? reference.id : `${reference.label} `}
        {reference.label !== null && <span class="muted">{reference.id}</span>}
      </a>
    );
  if (value !== null && typeof value === "object")
    return <JsonView text={JSON.stringify(value)} label={field.name} />;
  return <Plain field={field} value={value} />;
}

function RefersTo({ answer: { record } }: { readonly answer: RecordResponse }): VNode {
  const all = Object.entries(record.references);
  if (all.length === 0) return <Empty title={t("records.refersToNothing")} />;
  return (
    <KeyValues
      of={all.map(([field, { resource, id, label }]): [ComponentChildren, ComponentChildren] => [
        <code key={field}>{field}</code>,
        <a key={id} href={recordLink(resource, id)}>
          {resource} {label ?? ""} <span class="muted">{id}</span>
        </a>,
      ])}
    />
  );
}

function ReferredBy({ answer: { record, referrers } }: { readonly answer: RecordResponse }): VNode {
  if (referrers.length === 0) return <Empty title={t("records.referredByNothing")} />;
  return (
    <>
      {referrers.map(({ resource, field, count, first, on_delete: onDelete }) => (
        <section key={`${resource} ${field}`} class="referrers">
          <h3>
            <a
              href={filteredLink(
                resource,
                field.replace("[]", ""),
                record.id,
                field.endsWith("[]") ? "contains" : "=",
              )}
            >
              {t("records.referrers", { resource, field })}
            </a>{" "}
            <span class="muted number">{count === null ? t("records.notCounted") : countText(count)}</span>{" "}
            <Chip tone={onDelete === "cascade" ? "warn" : "none"} title={t(`records.onDelete_${onDelete}`)}>
              {t(`records.onDelete_${onDelete}_short`)}
            </Chip>
          </h3>
          <ul class="plain">
            {first.map((record) => (
              <li key={record.id}>
                <a href={recordLink(resource, record.id)}>{record.id}</a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
