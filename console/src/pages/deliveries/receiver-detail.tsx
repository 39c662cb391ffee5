/**
 * The page of a webhook: its state, its last deliveries, a test, a replay of a period, and a switch
 * that disables it.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type {
  DeliveriesResponse,
  TestedDeliveryResponse,
} from "../../../../src/admin/api/deliveries/deliveries.ts";
import type {
  ReceiverHealth,
  ReceiverResponse,
} from "../../../../src/admin/api/deliveries/delivery-receivers.ts";
import type { DeliveryResponse } from "../../../../src/admin/api/deliveries/delivery-response.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useFrames } from "../../api/use-topic.ts";
import { announce } from "../../parts/announcer.tsx";
import { StatusChip } from "../../parts/chip.tsx";
import { Code } from "../../parts/code.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { HourCharts } from "../../parts/hour-charts.tsx";
import { type KeyValue, KeyValues } from "../../parts/key-values.tsx";
import { Detail } from "../../parts/list-and-detail.tsx";
import { milliseconds } from "../../parts/milliseconds.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { clockText, clockTime, Time, zoneText } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { addressWith } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { durationText, numberText, t } from "../../words/words.ts";
import { useAfterActions, useDeliveryAction } from "./delivery-action.ts";
import { ReceiverChips } from "./receivers.tsx";
import { StateChip } from "./state-chip.tsx";

/** Maximum number of listed deliveries. */
const listedMax = 20;
const openMax = 1_000;

interface Key {
  readonly resource: string;
  readonly receiver: string;
}

export function ReceiverDetail(key: Key): VNode {
  const names = [key.resource, key.receiver].map(encodeURIComponent).join("/");
  const { answer, error, again } = useAnswer<ReceiverResponse>(`/api/deliveries/receivers/${names}`);
  const last = useAnswer<DeliveriesResponse>("/api/deliveries", { ...key, limit: listedMax });
  useAfterActions(again);
  const reload = () => {
    again();
    last.again();
  };
  useFrames("deliveries", (frame) => {
    if (frame.kind === "rows") reload();
  });
  const of = answer?.receiver;
  return (
    <Detail
      title={of?.url ?? `${key.resource} ${key.receiver}`}
      about={of && <ReceiverChips of={of} />}
      closeTo={addressWith({ resource: undefined, receiver: undefined })}
      name={`${key.resource} ${key.receiver}`}
      actions={answer && <Actions of={key} answer={answer} again={reload} />}
    >
      {error && <ErrorNotice error={error} again={again} />}
      {answer && <About of={key} answer={answer} />}
      {answer?.last_hour && <HourCharts hour={answer.last_hour} isOfAttempts />}
      <h3>{t("deliveries.lastDeliveries")}</h3>
      {last.error && <ErrorNotice error={last.error} again={last.again} />}
      {last.answer && <Last deliveries={last.answer.deliveries} of={key} />}
    </Detail>
  );
}

function About({ of, answer }: { readonly of: Key; readonly answer: ReceiverResponse }): VNode {
  const { recent, open, due } = answer.receiver;
  const rows: readonly (KeyValue | false)[] = [
    [
      t("deliveries.record"),
      <a href={linkTo(["data", of.resource, of.receiver])}>
        {of.resource} {of.receiver}
      </a>,
    ],
    recent.ended > 0 && [
      t("deliveries.success"),
      t("deliveries.recent", { delivered: recent.delivered, ended: recent.ended }),
    ],
    [t("deliveries.open"), open > openMax ? `${numberText(openMax)}+` : numberText(open)],
    due !== null && [t("deliveries.nextAttempt"), <Time at={due} />],
    [t("deliveries.attemptsLastHour"), lastHourText(answer.last_hour)],
    [t("deliveries.signedBy"), answer.signed_by ?? t("deliveries.unsigned")],
  ];
  return <KeyValues of={rows} />;
}

function lastHourText(hour: ReceiverResponse["last_hour"]): string {
  if (!hour) return t("deliveries.noneLastHour");
  const { requests: count, errors: failed, p95_ms } = hour;
  return t("deliveries.lastHour", { count, failed, p95: p95_ms === null ? "" : milliseconds(p95_ms) });
}

const columns: readonly Column<DeliveryResponse>[] = [
  { name: "event", head: t("deliveries.type"), cell: ({ event }) => event.type },
  {
    name: "state",
    head: t("deliveries.state"),
    cell: (delivery) => <StateChip delivery={delivery} />,
    width: "84px",
  },
  {
    name: "answer",
    head: t("deliveries.answer"),
    cell: ({ status, error }) =>
      status === null ? <span class="one-line muted">{error ?? ""}</span> : <StatusChip status={status} />,
    width: "68px",
  },
  {
    name: "when",
    head: t("deliveries.when"),
    cell: ({ last, created }) => {
      const at = last ?? created;
      return at === null ? null : <Time at={at} />;
    },
    width: "84px",
  },
];

function Last({
  deliveries,
  of,
}: {
  readonly deliveries: readonly DeliveryResponse[];
  readonly of: Key;
}): VNode {
  if (deliveries.length === 0) return <Empty title={t("deliveries.receivedNothing")} />;
  return (
    <>
      <Table
        label={t("deliveries.lastDeliveries")}
        columns={columns}
        rows={deliveries}
        keyOf={({ id }) => id}
        linkOf={({ id }) => linkTo(["deliveries", id])}
      />
      <p>
        <a class="alone" href={linkTo(["deliveries"], { ...of })}>
          {t("deliveries.allDeliveries")}
        </a>
      </p>
    </>
  );
}

function Actions({
  of,
  answer,
  again,
}: {
  readonly of: Key;
  readonly answer: ReceiverResponse;
  readonly again: () => void;
}): VNode {
  const { post, error, isRunning } = useDeliveryAction();
  const [dialog, setDialog] = useState<"test" | "replay" | "disable">();
  const close = () => setDialog(undefined);
  const { paused, disabled }: Pick<ReceiverHealth, "paused" | "disabled"> = answer.receiver;
  const change = (what: "pause" | "resume" | "enable" | "disable") =>
    post(`/api/deliveries/${what}`, of, again);
  return (
    <>
      <button type="button" class="main" onClick={() => setDialog("test")}>
        {t("deliveries.test")}
      </button>
      <button type="button" onClick={() => setDialog("replay")}>
        {t("deliveries.replay")}
      </button>
      <button type="button" disabled={isRunning} onClick={() => change(paused ? "resume" : "pause")}>
        {t(paused ? "deliveries.resume" : "deliveries.pause")}
      </button>
      {disabled ? (
        <button type="button" disabled={isRunning} onClick={() => change("enable")}>
          {t("deliveries.enable")}
        </button>
      ) : (
        <button type="button" class="danger" disabled={isRunning} onClick={() => setDialog("disable")}>
          {t("deliveries.disable")}
        </button>
      )}
      {error && <ErrorNotice error={error} />}
      {dialog === "test" && <TestDialog of={of} events={answer.events} close={close} />}
      {dialog === "replay" && <ReplayDialog of={of} close={close} onReplay={again} />}
      {dialog === "disable" && (
        <Dialog
          title={t("deliveries.disableTitle")}
          close={close}
          cancels
          actions={
            <button
              type="button"
              class="danger"
              disabled={isRunning}
              onClick={() => {
                close();
                void change("disable");
              }}
            >
              {t("deliveries.disable")}
            </button>
          }
        >
          <p>{t("deliveries.disableHint")}</p>
        </Dialog>
      )}
    </>
  );
}

/** Sends the last event of a type, and shows the response. */
function TestDialog({
  of,
  events,
  close,
}: {
  readonly of: Key;
  readonly events: readonly string[];
  readonly close: () => void;
}): VNode {
  const { post, error, isRunning } = useDeliveryAction();
  const [type, setType] = useState(events[0] ?? "");
  const [result, setResult] = useState<TestedDeliveryResponse>();
  const send = () => {
    setResult(undefined);
    return post<TestedDeliveryResponse>("/api/deliveries/test", { ...of, type }, setResult);
  };
  return (
    <Dialog
      title={t("deliveries.testTitle")}
      close={close}
      kind="form"
      actions={
        <button type="button" class="main" disabled={isRunning || type === ""} onClick={() => void send()}>
          {t(isRunning ? "deliveries.testing" : "deliveries.sendTest")}
        </button>
      }
    >
      <p>{t("deliveries.testHint")}</p>
      <Field label={t("deliveries.type")}>
        {(control) => (
          <select {...control} value={type} onChange={(event) => setType(event.currentTarget.value)}>
            {events.map((event) => (
              <option key={event}>{event}</option>
            ))}
          </select>
        )}
      </Field>
      {error && <ErrorNotice error={error} />}
      {result && (
        <section class="test-result" aria-live="polite">
          <p class="attempt-head">
            <strong>{t("deliveries.answer")}</strong>
            {result.status !== null && <StatusChip status={result.status} />}
            <span class="number muted">{durationText(result.took_ms)}</span>
          </p>
          {result.error !== null && <p class="bad-words">{result.error}</p>}
          {result.answer !== null && (
            <Code text={result.answer} label={t("deliveries.answerBody")} copies={false} />
          )}
        </section>
      )}
    </Dialog>
  );
}

/**
 * Replays the events of a period. They are counted first, and nothing is sent if the count has
 * changed.
 */
function ReplayDialog({
  of,
  close,
  onReplay,
}: {
  readonly of: Key;
  readonly close: () => void;
  readonly onReplay: () => void;
}): VNode {
  const { post, error, isRunning } = useDeliveryAction();
  const [from, setFrom] = useState(() =>
    clockText(Date.now() - 24 * 3_600_000)
      .slice(0, 16)
      .replace(" ", "T"),
  );
  const [until, setUntil] = useState("");
  const [state, setState] = useState("dead");
  const filter = {
    ...of,
    from: moment(from),
    until: moment(until),
    ...(state === "" ? {} : { state }),
  };
  const counted = useAnswer<{ count: number }>("/api/deliveries/count", filter);
  const count = counted.answer?.count;
  const send = () =>
    post<{ redelivered: number }>("/api/deliveries/redeliver", { ...filter, count }, ({ redelivered }) => {
      announce(t("deliveries.sentAgain", { count: redelivered }));
      close();
      onReplay();
    });
  return (
    <Dialog
      title={t("deliveries.replayTitle")}
      close={close}
      kind="form"
      cancels
      actions={
        <button type="button" class="main" disabled={!count || isRunning} onClick={() => void send()}>
          {count === undefined ? t("deliveries.replay") : t("deliveries.replayCount", { count })}
        </button>
      }
    >
      <div class="form">
        <MomentField label={t("deliveries.from")} hint={zoneText()} value={from} change={setFrom} />
        <MomentField
          label={t("deliveries.until")}
          hint={t("deliveries.untilHint")}
          value={until}
          change={setUntil}
        />
        <SelectField
          label={t("deliveries.which")}
          hint={t("deliveries.replayHint")}
          value={state}
          options={[
            ["dead", t("deliveries.whichFailed")],
            ["done", t("deliveries.whichDelivered")],
            ["", t("deliveries.whichAll")],
          ]}
          change={setState}
        />
      </div>
      {counted.error && <ErrorNotice error={counted.error} again={counted.again} />}
      {error && <ErrorNotice error={error} again={counted.again} />}
    </Dialog>
  );
}

function moment(text: string): string | undefined {
  const at = clockTime(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

function MomentField({
  label,
  hint,
  value,
  change,
}: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly change: (value: string) => void;
}): VNode {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          value={value}
          onChange={(event) => change(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
