/** One event: its payload, its record, its cause and its recipients. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { EventDetailResponse } from "../../../../src/admin/api/deliveries/log.ts";
import { call } from "../../api/call.ts";
import { type ApiError, asApiError } from "../../api/api-error.ts";
import { useFrames } from "../../api/use-topic.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { announce } from "../../parts/announcer.tsx";
import { StatusChip } from "../../parts/chip.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { KeyValues } from "../../parts/key-values.tsx";
import { Detail } from "../../parts/list-and-detail.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { addressWith } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { t } from "../../words/words.ts";
import { Undelivered } from "../deliveries/undelivered.tsx";
import { StateChip } from "../deliveries/state-chip.tsx";

export function EventDetail({ id }: { readonly id: string }): VNode {
  const { answer, error, again } = useAnswer<EventDetailResponse>(`/api/log/${encodeURIComponent(id)}`);
  useFrames("deliveries", (frame) => {
    if (frame.kind === "rows" && answer && answer.deliveries.length > 0) again();
  });
  return (
    <Detail
      title={answer?.type ?? id}
      about={answer?.line != null && <DocumentLine line={answer.line} />}
      closeTo={addressWith({}, "/events")}
      name={id}
    >
      {error && <ErrorNotice error={error} again={again} />}
      {answer && <About event={answer} />}
      {answer && <Recipients event={answer} />}
    </Detail>
  );
}

function About({ event }: { readonly event: EventDetailResponse }): VNode {
  const { id, sequence, time, resource, subject, is_there, payload, request, by_operator } = event;
  return (
    <>
      <KeyValues
        of={[
          [
            t("events.id"),
            <>
              <code>{id}</code> <CopyButton text={id} />
            </>,
          ],
          [t("events.sequence"), <span class="number">{sequence}</span>],
          [t("events.time"), <Time at={time} />],
          resource !== "" && [
            t("events.record"),
            <>
              {is_there ? (
                <a href={linkTo(["data", resource, subject])}>
                  {resource} {subject}
                </a>
              ) : (
                <>
                  {resource} {subject} <span class="muted">{t("events.gone")}</span>
                </>
              )}
              <br />
              <a href={linkTo(["events"], { resource, subject })}>{t("events.history")}</a>
            </>,
          ],
        ]}
      />
      <h3>{t("events.request")}</h3>
      {request === null ? (
        <p class="muted">{t(by_operator ? "events.byOperator" : "events.requestUnknown")}</p>
      ) : (
        <p>
          <StatusChip status={request.status} />{" "}
          <a href={linkTo(["requests", request.id])}>
            <code>
              {request.method} {request.path}
            </code>
          </a>
        </p>
      )}
      <h3>{t("events.payload")}</h3>
      <JsonView text={JSON.stringify(payload)} label={t("events.payload")} />
    </>
  );
}

function Recipients({
  event: { id, deliveries, more_deliveries, undelivered },
}: {
  readonly event: EventDetailResponse;
}): VNode {
  return (
    <>
      <h3>{t("events.recipients")}</h3>
      {undelivered && (
        <>
          <p>
            <strong>{t("events.noRecipients")}</strong>
          </p>
          <Undelivered of={undelivered} event={id} />
        </>
      )}
      {deliveries.length > 0 && (
        <>
          <ul class="plain recipients">
            {deliveries.map((delivery) => (
              <li key={delivery.id}>
                <StateChip delivery={delivery} />{" "}
                <a href={linkTo(["deliveries", delivery.id])}>
                  {t("events.deliveryTo", {
                    receiver: `${delivery.resource} ${delivery.receiver ?? t("events.gone")}`,
                  })}
                </a>{" "}
                {delivery.last !== null && <Time at={delivery.last} />}
              </li>
            ))}
          </ul>
          {more_deliveries && <p class="muted">{t("events.moreRecipients")}</p>}
          <p>
            <a class="alone" href={linkTo(["deliveries"], { event: id })}>
              {t("events.allRecipients")}
            </a>
          </p>
          <SendAgain event={id} />
        </>
      )}
    </>
  );
}

function SendAgain({ event }: { readonly event: string }): VNode {
  const [error, setError] = useState<ApiError>();
  const send = async () => {
    try {
      const { redelivered } = await call<{ redelivered: number }>("POST", "/api/deliveries/redeliver", {
        body: { event },
      });
      setError(undefined);
      announce(t("events.sentAgain", { count: redelivered }));
    } catch (error) {
      setError(asApiError(error));
    }
  };
  return (
    <>
      <button type="button" onClick={send}>
        {t("events.sendAgain")}
      </button>
      {error && <ErrorNotice error={error} />}
    </>
  );
}
