/** The last requests whose transition was refused, because of the state or the guard. */
import type { VNode } from "preact";
import type { RequestRow } from "../../../../src/admin/api/requests/requests.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { StatusChip } from "../../parts/chip.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { linkTo } from "../../routing/links.ts";
import { t } from "../../words/words.ts";

export function Refusals({
  resource,
  transition,
}: {
  readonly resource: string;
  readonly transition: string;
}): VNode {
  const { answer, error, again } = useAnswer<{ requests: RequestRow[] }>("/api/states/refusals", {
    resource,
    transition,
  });
  return (
    <>
      <h3>{t("states.refusals")}</h3>
      {error && <ErrorNotice error={error} again={again} />}
      {answer && answer.requests.length === 0 && <p class="muted">{t("states.noRefusals")}</p>}
      {answer && (
        <ul class="plain">
          {answer.requests.map(({ id, method, path, status, time, line }) => (
            <li key={id}>
              <StatusChip status={status} />{" "}
              <a href={linkTo(["requests", id])}>
                <code>
                  {method} {path}
                </code>
              </a>{" "}
              <Time at={time} /> {line !== null && <DocumentLine line={line} />}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
