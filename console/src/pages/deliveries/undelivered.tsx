/**
 * Undelivered events: why an event has no deliveries, with the line that decides it. A button
 * creates a record that makes the built-in receiver a recipient.
 */
import type { VNode } from "preact";
import type { UndeliveredReasonResponse } from "../../../../src/admin/api/deliveries/undelivered-reason.ts";
import type { SubscribedResponse } from "../../../../src/admin/api/deliveries/receiver.ts";
import { announce } from "../../parts/announcer.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { navigate } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { t } from "../../words/words.ts";
import { proposeRecord } from "../records/proposed-record.ts";
import { useDeliveryAction } from "./delivery-action.ts";

/** @param event the id of an event; without it, all events */
export function Undelivered({
  of,
  event,
}: {
  readonly of: UndeliveredReasonResponse;
  readonly event?: string;
}): VNode {
  return (
    <>
      <p class="undelivered">
        {withCode(of.why)} <DocumentLine line={of.line} />
      </p>
      {of.subscriber !== null && <Subscribe resource={of.subscriber} event={event} />}
    </>
  );
}

export function Subscribe({
  resource,
  event,
}: {
  readonly resource: string;
  readonly event?: string | undefined;
}): VNode {
  const { post, error, isRunning } = useDeliveryAction();
  const make = () =>
    post<SubscribedResponse>("/api/receiver/subscribe", { event }, ({ id, fields, lacks }) => {
      if (id === null) return proposeRecord({ resource, fields, lacks });
      announce(t("records.didCreate", { id }));
      navigate(linkTo(["data", resource, id]));
    });
  return (
    <>
      <button type="button" class="subscribe" disabled={isRunning} onClick={make}>
        {t("deliveries.subscribe", { resource })}
      </button>
      {error && <ErrorNotice error={error} />}
    </>
  );
}
