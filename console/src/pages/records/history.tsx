/**
 * History of a record: its changes as far as they are stored, and its events in the log, newest
 * first.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { StoredRecordResponse } from "../../../../src/admin/api/records/record-responses.ts";
import type { HistoryResponse } from "../../../../src/admin/api/records/records.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Chip, StatusChip } from "../../parts/chip.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { linkTo } from "../../routing/links.ts";
import { listText, t } from "../../words/words.ts";
import { apiPath } from "./filter-state.ts";

export function HistoryOf({
  resource,
  record,
}: {
  readonly resource: string;
  readonly record: StoredRecordResponse;
}): VNode {
  const [before, setBefore] = useState<number>();
  const { answer, error, again, isLoading } = useAnswer<HistoryResponse>(
    apiPath(resource, record.id, "history"),
    {
      before,
    },
  );
  useEffect(() => again(), [record.revision]);
  if (error) return <ErrorNotice error={error} again={again} />;
  if (!answer) return <p class="muted">{isLoading && t("parts.loading")}</p>;
  const { events } = answer;
  const changes = changesOf(answer);
  if (changes.length + events.length === 0 && answer.before === undefined)
    return <Empty title={t("records.nothingHappened")} />;
  return (
    <>
      {changes.length > 0 && (
        <section>
          <h3>{t("records.changes")}</h3>
          <ol class="plain history">
            {changes.map(({ time, words }, at) => (
              <li key={at}>
                <Time at={time} /> {words}
              </li>
            ))}
          </ol>
        </section>
      )}
      {events.length > 0 && (
        <section>
          <h3>{t("records.events")}</h3>
          <ol class="plain history">
            {events.map(({ sequence, id, type, time }) => (
              <li key={sequence}>
                <Time at={time} /> <a href={linkTo(["events", id])}>{type}</a>
              </li>
            ))}
          </ol>
        </section>
      )}
      {answer.before !== undefined && (
        <button type="button" class="small" onClick={() => setBefore(answer.before)}>
          {t(events.length > 0 ? "records.earlier" : "records.lookEarlier")}
        </button>
      )}
    </>
  );
}

/** Each changed field with its old and new value. */
function ChangedFields({ of }: { readonly of: HistoryResponse["operator"][number]["fields"] }): VNode | null {
  if (of.length === 0) return null;
  return (
    <ul class="plain changed-fields">
      {of.map(({ name, values }) => (
        <li key={name}>
          <code>{name}</code>{" "}
          {values === null ? (
            <span class="nothing">{t("records.hidden")}</span>
          ) : (
            <>
              <del class="muted">{values.before}</del> → <ins>{values.after}</ins>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

interface Change {
  readonly time: string;
  readonly words: VNode;
}

/** Changes by callers, operators and timers, newest first. */
function changesOf({ requests, operator, timed }: HistoryResponse): readonly Change[] {
  const byCallers = requests.map(({ id, time, method, endpoint, status, caller, fields }) => ({
    time,
    words: (
      <>
        <StatusChip status={status} /> <a href={linkTo(["requests", id])}>{endpoint ?? method}</a>{" "}
        {caller !== null && <span class="muted">{t("records.byCaller", { caller })}</span>}
        <ChangedFields of={fields} />
      </>
    ),
  }));
  const byNoRequest = [
    ...operator.map((change) => ({ ...change, by: t("records.operator") })),
    ...timed.map((change) => ({ ...change, by: t("records.byTime") })),
  ].map(({ time, kind, transitions, fields, by }) => ({
    time,
    words: (
      <>
        <Chip tone="info">{by}</Chip>{" "}
        {transitions.length > 0
          ? t("records.took", { transition: listText(transitions) })
          : t(`records.did_${kind}`, { fields: listText(fields.map(({ name }) => name)) })}
        <ChangedFields of={fields} />
      </>
    ),
  }));
  return [...byCallers, ...byNoRequest].toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time));
}
