/** The list of deliveries, newest first and live, with actions on all that match the filters. */
import type { VNode } from "preact";
import type { DeliveriesResponse } from "../../../../src/admin/api/deliveries/deliveries.ts";
import type { DeliveryNotice } from "../../../../src/admin/api/deliveries/deliveries-topic.ts";
import type { DeliveryResponse } from "../../../../src/admin/api/deliveries/delivery-response.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { StatusChip } from "../../parts/chip.tsx";
import { Empty } from "../../parts/empty.tsx";
import { FilterLine } from "../../parts/filter-line.tsx";
import { Pager } from "../../parts/pager.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { useLiveRows } from "../../parts/use-live-rows.ts";
import { addressWith, parameter } from "../../routing/address.ts";
import { t } from "../../words/words.ts";
import { type DeliveryFilters, filtersInAddress } from "./filters.ts";
import { Undelivered } from "./undelivered.tsx";
import { PauseAll } from "./pause-all.tsx";
import { SendAllAgain } from "./send-all-again.tsx";
import { StateChip } from "./state-chip.tsx";

const pageSize = 50;

const columns: readonly Column<DeliveryResponse>[] = [
  { name: "event", head: t("deliveries.type"), cell: ({ event }) => event.type },
  {
    name: "state",
    head: t("deliveries.state"),
    cell: (delivery) => <StateChip delivery={delivery} />,
    width: "96px",
  },
  {
    name: "to",
    head: t("deliveries.to"),
    cell: ({ resource, receiver, url, channel }) => {
      const name = (
        <>
          {channel === "email" ? t("deliveries.email") : resource} <code>{String(receiver ?? "")}</code>
        </>
      );
      return (
        <span class="one-line" title={url === null ? undefined : `${url} · ${resource} ${String(receiver)}`}>
          {url === null ? name : <code>{url}</code>}
        </span>
      );
    },
  },
  {
    name: "answer",
    head: t("deliveries.answer"),
    cell: ({ status, error }) =>
      status !== null ? (
        <StatusChip status={status} />
      ) : (
        error !== null && (
          <span class="one-line muted" title={error}>
            {error}
          </span>
        )
      ),
    width: "80px",
  },
  {
    name: "attempts",
    head: t("deliveries.attempts"),
    cell: ({ attempts }) => attempts,
    align: "end",
    width: "80px",
    isWideOnly: true,
  },
  {
    name: "when",
    head: t("deliveries.when"),
    cell: ({ last, created }) => {
      const at = last ?? created;
      return at === null ? null : <Time at={at} />;
    },
    width: "104px",
  },
];

export function DeliveryList({ selected }: { readonly selected: string | undefined }): VNode {
  const filters = filtersInAddress();
  const cursor = parameter("cursor");
  const { answer, since, requestKey, error, again } = useAnswer<DeliveriesResponse>("/api/deliveries", {
    ...filters,
    before: cursor,
    limit: pageSize,
  });
  const { rows, waiting, show } = useLiveRows<DeliveryResponse>({
    topic: "deliveries",
    rows: answer?.deliveries,
    since,
    requestKey,
    numberOf: ({ number }) => number,
    read: (notice) => readNotice(notice as DeliveryNotice, filters),
    isFirstPage: cursor === undefined,
    again,
  });
  const last = answer?.deliveries.at(-1);
  return (
    <>
      <FilterLine of={filterChoices()}>
        {waiting > 0 && (
          <button type="button" class="small main" onClick={show}>
            {t("deliveries.newer", { count: waiting })}
          </button>
        )}
        <SendAllAgain filters={filters} />
        {answer?.paused === false && <PauseAll isPaused={false} again={again} />}
      </FilterLine>
      {answer?.paused === true && <PauseAll isPaused again={again} />}
      {error && <ErrorNotice error={error} again={again} />}
      {rows.length > 0 && (
        <Table
          label={t("deliveries.list")}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          linkOf={({ id }) => addressWith({}, `/deliveries/${encodeURIComponent(id)}`)}
          selectedKey={selected}
        />
      )}
      {answer && rows.length === 0 && <EmptyList undelivered={answer.undelivered} />}
      {answer && rows.length > 0 && (
        <Pager
          countText={t("deliveries.shown", { count: rows.length })}
          next={answer.deliveries.length === pageSize && last ? String(last.number) : undefined}
          previous={undefined}
        />
      )}
    </>
  );
}

/**
 * An update may concern a visible row or a new one. A filter that only the service can evaluate
 * shows no new rows.
 */
function readNotice(notice: DeliveryNotice, filters: DeliveryFilters): DeliveryResponse | undefined {
  if (!("delivery" in notice)) return undefined;
  const { delivery } = notice;
  const { state, failed, channel, event, resource, receiver, from, until } = filters;
  const isSame = (filter: string | undefined, value: unknown) =>
    filter === undefined || filter === String(value);
  const createdMs = delivery.created === null ? 0 : Date.parse(delivery.created);
  const isMatch =
    isSame(state, delivery.state) &&
    (failed !== "true" || (delivery.state !== "done" && delivery.error !== null)) &&
    isSame(channel, delivery.channel) &&
    isSame(event, delivery.event.id) &&
    isSame(resource, delivery.resource) &&
    isSame(receiver, delivery.receiver) &&
    (from === undefined || createdMs >= Date.parse(from)) &&
    (until === undefined || createdMs < Date.parse(until));
  return isMatch ? delivery : undefined;
}

function filterChoices() {
  return [
    {
      name: "state",
      label: t("deliveries.anyState"),
      choices: [
        { value: "open", label: t("deliveries.stateOpen") },
        { value: "done", label: t("deliveries.stateDone") },
        { value: "dead", label: t("deliveries.stateDead") },
      ],
    },
    {
      name: "failed",
      label: t("deliveries.failedAll"),
      choices: [{ value: "true", label: t("deliveries.failedOnly") }],
    },
    {
      name: "channel",
      label: t("deliveries.anyChannel"),
      choices: [
        { value: "webhook", label: t("deliveries.webhook") },
        { value: "email", label: t("deliveries.email") },
      ],
    },
    { name: "event", label: t("deliveries.event") },
    { name: "receiver", label: t("deliveries.receiver") },
    { name: "from", label: t("deliveries.from"), isTime: true },
    { name: "until", label: t("deliveries.until"), isTime: true },
  ];
}

function EmptyList({ undelivered }: Pick<DeliveriesResponse, "undelivered">): VNode {
  if (!undelivered) return <Empty title={t("parts.nothingMatches")} />;
  return (
    <Empty title={t("deliveries.none")}>
      <Undelivered of={undelivered} />
    </Empty>
  );
}
