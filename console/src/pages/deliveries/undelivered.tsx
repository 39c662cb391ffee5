/**
 * Why an event has no deliveries, with the line that decides it. A button creates a record that
 * makes the built-in receiver a recipient.
 */
import type { VNode } from "preact";
import type { UndeliveredReasonResponse } from "../../../../src/admin/api/undelivered-reason.ts";
import type { SubscribedResponse } from "../../../../src/admin/api/receiver.ts";
import { announce } from "../../parts/announcer.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { navigate } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { t } from "../../words/words.ts";
import { beginRecord } from "../records/started.ts";
import { useDoing } from "./doing.ts";

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
  const { post, refused, isDoing } = useDoing();
  const make = () =>
    post<SubscribedResponse>("/api/receiver/subscribe", { event }, ({ id, fields, lacks }) => {
      if (id === null) return beginRecord({ resource, fields, lacks });
      announce(t("records.didCreate", { id }));
      navigate(linkTo(["data", resource, id]));
    });
  return (
    <>
      <button type="button" class="subscribe" disabled={isDoing} onClick={make}>
        {t("deliveries.subscribe", { resource })}
      </button>
      {refused && <Trouble refused={refused} />}
    </>
  );
}
