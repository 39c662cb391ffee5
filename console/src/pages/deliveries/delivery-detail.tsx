/** One delivery: its payload, each attempt with its response, and the state of its receiver. */
import type { VNode } from "preact";
import type { DeliveryNotice } from "../../../../src/admin/api/deliveries/deliveries-topic.ts";
import type { DeliveryDetailResponse } from "../../../../src/admin/api/deliveries/delivery-detail.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useFrames } from "../../api/use-topic.ts";
import { announce } from "../../parts/announcer.tsx";
import { StatusChip } from "../../parts/chip.tsx";
import { Code } from "../../parts/code.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { KeyValues } from "../../parts/key-values.tsx";
import { Detail } from "../../parts/list-and-detail.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { addressWith } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { durationText, listText, t } from "../../words/words.ts";
import { useDeliveryAction } from "./delivery-action.ts";
import { ReceiverLine } from "./receivers.tsx";
import { StateChip } from "./state-chip.tsx";

export function DeliveryDetail({ id }: { readonly id: string }): VNode {
  const { answer, error, again } = useAnswer<DeliveryDetailResponse>(
    `/api/deliveries/${encodeURIComponent(id)}`,
  );
  useFrames("deliveries", (frame) => {
    if (frame.kind !== "rows") return;
    const isAbout = (notice: DeliveryNotice) => "delivery" in notice && notice.delivery.id === id;
    if (frame.rows.some((row) => isAbout(row as DeliveryNotice))) again();
  });
  const delivery = answer?.delivery;
  return (
    <Detail
      title={delivery?.event.type ?? id}
      about={delivery && <StateChip delivery={delivery} />}
      closeTo={addressWith({}, "/deliveries")}
      name={id}
      actions={delivery && <SendAgain delivery={delivery} />}
    >
      {error && <ErrorNotice error={error} again={again} />}
      {answer && (
        <>
          <About detail={answer} again={again} />
          <Attempts detail={answer} />
          <SentMessage detail={answer} />
        </>
      )}
    </Detail>
  );
}

type Part = { readonly detail: DeliveryDetailResponse };

function SendAgain({
  delivery: { id, attempts },
}: {
  readonly delivery: DeliveryDetailResponse["delivery"];
}): VNode {
  const { post, error, isRunning } = useDeliveryAction();
  const send = () =>
    post<{ redelivered: number }>("/api/deliveries/redeliver", { id }, ({ redelivered }) =>
      announce(t("deliveries.sentAgain", { count: redelivered })),
    );
  return (
    <>
      <button type="button" class="main" disabled={isRunning} onClick={send}>
        {t(attempts === 0 ? "deliveries.sendNow" : "deliveries.sendAgain")}
      </button>
      {error && <ErrorNotice error={error} />}
    </>
  );
}

function About({ detail, again }: Part & { readonly again: () => void }): VNode {
  const { delivery, receiver } = detail;
  const { id, event, created, due, ended, resource, receiver: name, state } = delivery;
  const next =
    state !== "open" ? (
      <span class="muted">{t("deliveries.noNext")}</span>
    ) : due === null ? (
      t("deliveries.waits")
    ) : (
      <Time at={due} />
    );
  return (
    <KeyValues
      of={[
        [
          t("deliveries.id"),
          <>
            <code>{id}</code> <CopyButton text={id} />
          </>,
        ],
        [
          t("deliveries.type"),
          <a href={linkTo(["events", event.id])}>
            {event.type} <code>{event.subject}</code>
          </a>,
        ],
        [
          t("deliveries.to"),
          name === null ? (
            <>
              {resource} <span class="muted">{t("deliveries.receiverGone")}</span>
            </>
          ) : (
            <a href={linkTo(["data", resource, String(name)])}>
              {resource} {String(name)}
            </a>
          ),
        ],
        receiver !== null && [t("deliveries.health"), <ReceiverLine of={receiver} again={again} />],
        created !== null && [t("deliveries.created"), <Time at={created} />],
        [t("deliveries.nextAttempt"), next],
        ended !== null && [t("deliveries.ended"), <Time at={ended} />],
      ]}
    />
  );
}

function Attempts({ detail: { attempts } }: Part): VNode {
  return (
    <>
      <h3>{t("deliveries.attemptList")}</h3>
      {attempts.length === 0 && <p class="muted">{t("deliveries.noAttempts")}</p>}
      <ol class="attempts">
        {attempts.map(({ number, started, took_ms, status, error, answer }) => (
          <li key={number}>
            <p class="attempt-head">
              <span class="number muted">{t("deliveries.attempt", { number: String(number) })}</span>
              {status !== null && <StatusChip status={status} />}
              <Time at={started} />
              <span class="number muted">{durationText(took_ms)}</span>
            </p>
            {error !== null && status === null && <p class="bad-words">{error}</p>}
            {answer !== null && <Code text={answer} label={t("deliveries.answerBody")} copies={false} />}
          </li>
        ))}
      </ol>
    </>
  );
}

function SentMessage({ detail: { request, letter, trouble, signed_by } }: Part): VNode {
  return (
    <>
      {request && (
        <>
          <h3>{t("deliveries.sent")}</h3>
          <KeyValues
            of={[
              [t("deliveries.address"), <code>{`${request.method} ${request.url}`}</code>],
              [t("deliveries.signedBy"), signed_by ?? t("deliveries.unsigned")],
            ]}
          />
          <details>
            <summary>{t("deliveries.headers", { count: request.headers.length })}</summary>
            <KeyValues
              of={request.headers.map(({ name, value }) => [
                name,
                value === null ? <i class="muted">{t("deliveries.hidden")}</i> : <code>{value}</code>,
              ])}
            />
          </details>
          <JsonView text={request.body} label={t("deliveries.body")} />
        </>
      )}
      {trouble !== null && <p class="bad-words">{t("deliveries.notSendable", { trouble })}</p>}
      {letter && (
        <>
          <h3>{t("deliveries.letter")}</h3>
          <KeyValues
            of={[
              [t("deliveries.letterTo"), listText(letter.to)],
              [t("deliveries.letterSubject"), letter.subject],
            ]}
          />
          <Code text={letter.text} label={t("deliveries.letter")} />
        </>
      )}
    </>
  );
}
