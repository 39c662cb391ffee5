/** A request to the built-in receiver: headers, body, and whether its signature is valid. */
import type { VNode } from "preact";
import type { ReceivedResponse } from "../../../../src/admin/api/deliveries/receiver.ts";
import { StatusChip } from "../../parts/chip.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { KeyValues } from "../../parts/key-values.tsx";
import { Detail } from "../../parts/list-and-detail.tsx";
import { Time } from "../../parts/time.tsx";
import { addressWith } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { bytesText, t } from "../../words/words.ts";
import { SignatureChip } from "./built-in-receiver.tsx";
import { useReceiver } from "./use-receiver.ts";

export function ReceivedDetail({ number }: { readonly number: number }): VNode | null {
  const { answer } = useReceiver();
  const received = answer?.received.find((request) => request.number === number);
  if (!received) return null;
  return (
    <Detail
      title={received.event?.type ?? `#${number}`}
      about={<SignatureChip received={received} />}
      closeTo={addressWith({ received: undefined })}
      name={String(number)}
    >
      <About received={received} />
      <h3>{t("deliveries.headers", { count: received.headers.length })}</h3>
      <KeyValues of={received.headers.map(([name, value]) => [<code>{name}</code>, <code>{value}</code>])} />
      <h3>{t("deliveries.body")}</h3>
      <JsonView text={received.body} label={t("deliveries.body")} />
      <Cut received={received} />
    </Detail>
  );
}

function About({ received }: { readonly received: ReceivedResponse }): VNode {
  const { time, status, delivery, event, scheme, trouble } = received;
  return (
    <KeyValues
      of={[
        [t("deliveries.when"), <Time at={time} />],
        [t("deliveries.answered"), <StatusChip status={status} />],
        delivery !== null && [
          t("deliveries.delivery"),
          <a href={linkTo(["deliveries", delivery])}>
            <code>{delivery}</code>
          </a>,
        ],
        event !== null && [
          t("deliveries.type"),
          <a href={linkTo(["events", event.id])}>
            <code>{event.id}</code>
          </a>,
        ],
        scheme !== null && [t("deliveries.scheme"), scheme],
        trouble !== null && [t("deliveries.trouble"), trouble],
      ]}
    />
  );
}

function Cut({ received: { body, body_bytes } }: { readonly received: ReceivedResponse }): VNode | null {
  const storedBytes = new TextEncoder().encode(body).byteLength;
  if (storedBytes >= body_bytes) return null;
  return (
    <p class="muted">
      {t("deliveries.bodyCut", { kept: bytesText(storedBytes), all: bytesText(body_bytes) })}
    </p>
  );
}
