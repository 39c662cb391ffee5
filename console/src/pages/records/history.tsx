/** What has happened to a record: the events that tell of it, newest first, as far as the log still has them. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SeenAnswer } from "../../../../src/operations/api/record-answers.ts";
import type { HistoryAnswer } from "../../../../src/operations/api/records.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { StatusChip } from "../../parts/chip.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Time } from "../../parts/time.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { linkTo } from "../../routing/links.ts";
import { t } from "../../words/words.ts";
import { apiPath } from "./asked.ts";

export function HistoryOf({
  resource,
  record,
}: {
  readonly resource: string;
  readonly record: SeenAnswer;
}): VNode {
  const [before, setBefore] = useState<number>();
  const { answer, refused, again, isLoading } = useAnswer<HistoryAnswer>(
    apiPath(resource, record.id, "history"),
    {
      before,
    },
  );
  useEffect(() => again(), [record.revision]);
  if (refused) return <Trouble refused={refused} again={again} />;
  if (!answer) return <p class="muted">{isLoading && t("parts.loading")}</p>;
  const { requests, events } = answer;
  if (requests.length + events.length === 0) return <Empty title={t("records.nothingHappened")} />;
  return (
    <>
      {requests.length > 0 && (
        <section>
          <h3>{t("records.requests")}</h3>
          <ol class="plain history">
            {requests.map(({ id, time, method, endpoint, status, caller }) => (
              <li key={id}>
                <Time at={time} /> <StatusChip status={status} />{" "}
                <a href={linkTo(["requests", id])}>{endpoint ?? method}</a>{" "}
                {caller !== null && <span class="muted">{t("records.byCaller", { caller })}</span>}
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
          {t("records.earlier")}
        </button>
      )}
    </>
  );
}
