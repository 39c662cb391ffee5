/**
 * Sends all deliveries that match the filters again. They are counted first, and nothing is sent if
 * the count has changed.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../../api/use-answer.ts";
import { announce } from "../../parts/announcer.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { t } from "../../words/words.ts";
import { useDeliveryAction } from "./delivery-action.ts";
import { type DeliveryFilters, filtersInBody } from "./filters.ts";

const countedMax = 10_001;

export function SendAllAgain({ filters }: { readonly filters: DeliveryFilters }): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        {t("deliveries.sendAllAgain")}
      </button>
      {isOpen && <ConfirmDialog filters={filters} close={() => setOpen(false)} />}
    </>
  );
}

function ConfirmDialog({
  filters,
  close,
}: {
  readonly filters: DeliveryFilters;
  readonly close: () => void;
}): VNode {
  const isFiltered = Object.keys(filters).length > 0;
  const { answer, error, again } = useAnswer<{ count: number }>(
    isFiltered ? "/api/deliveries/count" : undefined,
    filters,
  );
  const deliveryAction = useDeliveryAction();
  const count = answer?.count;
  const send = () =>
    deliveryAction.post<{ redelivered: number }>(
      "/api/deliveries/redeliver",
      { ...filtersInBody(filters), count },
      ({ redelivered }) => {
        announce(t("deliveries.sentAgain", { count: redelivered }));
        close();
      },
    );
  return (
    <Dialog
      title={t("deliveries.sendAllTitle")}
      close={close}
      cancels
      actions={
        <button type="button" class="main" disabled={!count || deliveryAction.isRunning} onClick={send}>
          {t("deliveries.sendAgain")}
        </button>
      }
    >
      {!isFiltered && <p>{t("deliveries.sendAllUnfiltered")}</p>}
      {count !== undefined && (
        <p>{count < countedMax ? t("deliveries.sendAllCount", { count }) : t("deliveries.sendAllMany")}</p>
      )}
      {error && <ErrorNotice error={error} again={again} />}
      {deliveryAction.error && <ErrorNotice error={deliveryAction.error} again={again} />}
    </Dialog>
  );
}
