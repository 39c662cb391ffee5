/** The receivers of deliveries, their states, and actions on them. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type {
  ReceiverHealth,
  ReceiversResponse,
} from "../../../../src/admin/api/deliveries/delivery-receivers.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useFrames } from "../../api/use-topic.ts";
import { Chip } from "../../parts/chip.tsx";
import { Empty } from "../../parts/empty.tsx";
import { FilterLine } from "../../parts/filter-line.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { parameter } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { numberText, t } from "../../words/words.ts";
import { useAfterActions, useDeliveryAction } from "./delivery-action.ts";

/**
 * Updates are shown with this delay, in milliseconds, because many deliveries go to one receiver.
 */
const calmMs = 1_000;
const pageSize = 50;

export function Receivers(): VNode {
  const { answer, error, again } = useAnswer<ReceiversResponse>("/api/deliveries/receivers", {
    channel: "webhook",
    trouble: parameter("trouble"),
    after: parameter("cursor"),
    limit: pageSize,
  });
  useAfterActions(again);
  const [isWaiting, setWaiting] = useState(false);
  useFrames("deliveries", (frame) => {
    if (frame.kind !== "rows" || isWaiting) return;
    setWaiting(true);
    setTimeout(() => {
      setWaiting(false);
      again();
    }, calmMs);
  });
  return (
    <>
      <FilterLine
        of={[
          {
            name: "trouble",
            label: t("deliveries.inTrouble"),
            choices: [{ value: "true", label: t("deliveries.troubleOnly") }],
          },
        ]}
      />
      {error && <ErrorNotice error={error} again={again} />}
      {answer && answer.receivers.length === 0 && (
        <Empty title={t("deliveries.receiversNone")}>{t("deliveries.receiversNoneDetail")}</Empty>
      )}
      {answer && answer.receivers.length > 0 && (
        <>
          <ul class="plain receivers" aria-label={t("deliveries.receiversList")}>
            {answer.receivers.map((receiver) => (
              <li key={`${receiver.channel} ${receiver.resource} ${String(receiver.receiver)}`}>
                <Receiver of={receiver} again={again} />
              </li>
            ))}
          </ul>
          <Pager
            countText={t("deliveries.shown", { count: answer.receivers.length })}
            next={answer.next ?? undefined}
            previous={undefined}
          />
        </>
      )}
    </>
  );
}

interface Part {
  readonly of: ReceiverHealth;
  readonly again: () => void;
}

function Receiver({ of, again }: Part): VNode {
  const { resource, receiver, due, open, url, recent } = of;
  const name = String(receiver ?? "");
  return (
    <>
      <p class="receiver-name">
        {receiver === null ? (
          <>
            {url !== null && <code class="receiver-url">{url}</code>}
            {resource} <span class="muted">{t("deliveries.receiverGone")}</span>
          </>
        ) : (
          <>
            <a href={linkTo(["deliveries"], { view: "receivers", resource, receiver: name })}>
              <code class="receiver-url">{url ?? `${resource} ${name}`}</code>
            </a>
            <a class="muted" href={linkTo(["data", resource, name])}>
              {resource} <code>{name}</code>
            </a>
          </>
        )}
      </p>
      <ReceiverLine of={of} again={again} />
      <p class="muted">
        {recent.ended > 0 && (
          <>
            {t("deliveries.recent", { delivered: recent.delivered, ended: recent.ended })}
            {" · "}
          </>
        )}
        {t("deliveries.open")}: {open > 1_000 ? `${numberText(1_000)}+` : numberText(open)}
        {due !== null && (
          <>
            {" · "}
            {t("deliveries.nextAttempt")}: <Time at={due} />
          </>
        )}
        {receiver !== null && (
          <>
            {" · "}
            <a href={linkTo(["deliveries"], { resource, receiver: name })}>{t("deliveries.list")}</a>
          </>
        )}
      </p>
    </>
  );
}

/** The state of a receiver as chips. */
export function ReceiverChips({
  of: { failing, paused, disabled },
}: {
  readonly of: Pick<ReceiverHealth, "failing" | "paused" | "disabled">;
}): VNode {
  return (
    <>
      {disabled && <Chip tone="bad">{t("deliveries.disabled")}</Chip>}
      {paused && <Chip tone="info">{t("deliveries.paused")}</Chip>}
      {failing && <Chip tone="warn">{t("deliveries.failing")}</Chip>}
      {!disabled && !paused && !failing && <Chip tone="ok">{t("deliveries.fine")}</Chip>}
    </>
  );
}

/** The state of a receiver, and the buttons that change it. */
export function ReceiverLine({ of, again }: Part): VNode {
  const { resource, receiver, paused, disabled, channel } = of;
  const { post, error, isRunning } = useDeliveryAction();
  const body = { resource, receiver: String(receiver) };
  const change = (what: "pause" | "resume" | "enable") => post(`/api/deliveries/${what}`, body, again);
  const button = (what: "pause" | "resume" | "enable", words: string) => (
    <button type="button" class="small" disabled={isRunning} onClick={() => change(what)}>
      {words}
    </button>
  );
  return (
    <span class="receiver-line">
      <ReceiverChips of={of} />
      {channel === "webhook" && receiver !== null && (
        <>
          {disabled && button("enable", t("deliveries.enable"))}
          {paused ? button("resume", t("deliveries.resume")) : button("pause", t("deliveries.pause"))}
        </>
      )}
      {error && <ErrorNotice error={error} />}
    </span>
  );
}
