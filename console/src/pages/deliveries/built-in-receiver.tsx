/** The built-in receiver for trying webhooks: its URL, its response, and the received requests. */
import type { VNode } from "preact";
import type { ReceivedResponse, ReceiverResponse } from "../../../../src/admin/api/deliveries/receiver.ts";
import { call } from "../../api/call.ts";
import { ApiError } from "../../api/api-error.ts";
import { Chip, StatusChip, type Tone } from "../../parts/chip.tsx";
import { Code } from "../../parts/code.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field } from "../../parts/field.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { addressWith } from "../../routing/address.ts";
import { t } from "../../words/words.ts";
import { Subscribe } from "./undelivered.tsx";
import { useDeliveryAction } from "./delivery-action.ts";
import { useReceiver } from "./use-receiver.ts";

const receiverBehaviors: readonly (readonly [ReceiverResponse["answers"], () => string])[] = [
  ["ok", () => t("deliveries.answersOk")],
  ["fails", () => t("deliveries.answersFails")],
  ["gone", () => t("deliveries.answersGone")],
  ["overloaded", () => t("deliveries.answersOverloaded")],
  ["slow", () => t("deliveries.answersSlow")],
];

const columns: readonly Column<ReceivedResponse>[] = [
  { name: "event", head: t("deliveries.type"), cell: ({ event, number }) => event?.type ?? `#${number}` },
  {
    name: "signature",
    head: t("deliveries.signature"),
    cell: (received) => <SignatureChip received={received} />,
    width: "160px",
  },
  {
    name: "answered",
    head: t("deliveries.answered"),
    cell: ({ status }) => <StatusChip status={status} />,
    width: "128px",
  },
  { name: "time", head: t("deliveries.when"), cell: ({ time }) => <Time at={time} />, width: "136px" },
];

export function BuiltInReceiver({ selected }: { readonly selected: string | undefined }): VNode {
  const { answer, error, again } = useReceiver();
  return (
    <>
      {error && <ErrorNotice error={error} again={again} />}
      {answer && <ReceiverSettings receiver={answer} again={again} />}
      {answer && answer.received.length === 0 && (
        <Empty title={t("deliveries.receivedNone")}>{t("deliveries.receivedNoneDetail")}</Empty>
      )}
      {answer && answer.received.length > 0 && (
        <Table
          label={t("deliveries.received")}
          columns={columns}
          rows={answer.received}
          keyOf={({ number }) => String(number)}
          linkOf={({ number }) => addressWith({ received: String(number) })}
          selectedKey={selected}
        />
      )}
    </>
  );
}

function ReceiverSettings({
  receiver,
  again,
}: {
  readonly receiver: ReceiverResponse;
  readonly again: () => void;
}): VNode {
  const { post, error } = useDeliveryAction();
  const forget = () =>
    call("DELETE", "/api/receiver").then(again, (error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      again();
    });
  return (
    <section class="trying">
      <h2>{t("deliveries.tryTitle")}</h2>
      {receiver.address === null ? (
        <p>{t("deliveries.tryNoAddress")}</p>
      ) : (
        <>
          <p>{t("deliveries.tryDetail")}</p>
          <Code text={receiver.address} label={t("deliveries.address")} />
        </>
      )}
      <div class="trying-line">
        <Field label={t("deliveries.answers")}>
          {(control) => (
            <select
              {...control}
              value={receiver.answers}
              onChange={(event) => post("/api/receiver", { answers: event.currentTarget.value }, again)}
            >
              {receiverBehaviors.map(([value, words]) => (
                <option key={value} value={value}>
                  {words()}
                </option>
              ))}
            </select>
          )}
        </Field>
        {receiver.address !== null && receiver.subscriber !== null && (
          <Subscribe resource={receiver.subscriber} />
        )}
        {receiver.received.length > 0 && (
          <button type="button" onClick={forget}>
            {t("deliveries.forget")}
          </button>
        )}
      </div>
      {error && <ErrorNotice error={error} />}
    </section>
  );
}

export function SignatureChip({
  received: { signature },
}: {
  readonly received: Pick<ReceivedResponse, "signature">;
}): VNode {
  const chips: Readonly<Record<ReceivedResponse["signature"], readonly [Tone, string]>> = {
    fits: ["ok", t("deliveries.signatureFits")],
    "does not fit": ["bad", t("deliveries.signatureWrong")],
    unsigned: ["none", t("deliveries.signatureUnsigned")],
    "not ours": ["warn", t("deliveries.signatureNotOurs")],
  };
  const [tone, words] = chips[signature];
  return <Chip tone={tone}>{words}</Chip>;
}
