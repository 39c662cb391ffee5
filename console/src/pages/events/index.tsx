/** Events: the live log, with the payload and the recipients of each event. */
import type { VNode } from "preact";
import type { LogResponse, LogEntryResponse } from "../../../../src/admin/api/deliveries/log.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Empty } from "../../parts/empty.tsx";
import { FilterLine } from "../../parts/filter-line.tsx";
import { ListAndDetail } from "../../parts/list-and-detail.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Pager } from "../../parts/pager.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { useLiveRows } from "../../parts/use-live-rows.ts";
import { addressWith, parameter } from "../../routing/address.ts";
import { t } from "../../words/words.ts";
import type { Page, PageProperties } from "../page.ts";
import { EventDetail } from "./event-detail.tsx";

const columns: readonly Column<LogEntryResponse>[] = [
  { name: "type", head: t("events.type"), cell: ({ type }) => type },
  {
    name: "record",
    head: t("events.record"),
    cell: ({ resource, subject }) => (
      <span class="one-line">
        {resource} <code>{subject}</code>
      </span>
    ),
  },
  { name: "time", head: t("events.time"), cell: ({ time }) => <Time at={time} />, width: "160px" },
  {
    name: "sequence",
    head: t("events.sequence"),
    cell: ({ sequence }) => sequence,
    align: "end",
    width: "140px",
    isWideOnly: true,
  },
];

function Events({ parameters }: PageProperties): VNode {
  const selected = parameters["id"];
  const filter = {
    type: parameter("type"),
    resource: parameter("resource"),
    subject: parameter("subject"),
    from: parameter("from"),
    until: parameter("until"),
  };
  const cursor = parameter("cursor");
  const { answer, since, requestKey, error, again } = useAnswer<LogResponse>("/api/log", {
    ...filter,
    before: cursor,
  });
  const { rows, waiting, show } = useLiveRows<LogEntryResponse>({
    topic: "events",
    rows: answer?.events,
    since,
    requestKey,
    numberOf: ({ sequence }) => sequence,
    read: (entry) =>
      matchesFilters(entry as LogEntryResponse, filter) ? (entry as LogEntryResponse) : undefined,
    isFirstPage: cursor === undefined,
    again,
  });
  return (
    <ListAndDetail
      list={
        <>
          <PageHead title={t("events.title")} about={t("events.about")} />
          <FilterLine of={filtersOf(answer)}>
            {waiting > 0 && (
              <button type="button" class="small main" onClick={show}>
                {t("events.newer", { count: waiting })}
              </button>
            )}
          </FilterLine>
          {error && <ErrorNotice error={error} again={again} />}
          {rows.length > 0 && (
            <Table
              label={t("events.list")}
              // An open event has its number in its own view.
              columns={selected === undefined ? columns : columns.filter(({ name }) => name !== "sequence")}
              rows={rows}
              keyOf={({ id }) => id}
              linkOf={({ id }) => addressWith({}, `/events/${encodeURIComponent(id)}`)}
              selectedKey={selected}
            />
          )}
          {answer && rows.length === 0 && <EmptyList answer={answer} />}
          {answer && rows.length > 0 && (
            <Pager
              countText={t("events.shown", { count: rows.length })}
              next={answer.next === null ? undefined : String(answer.next)}
              previous={undefined}
            />
          )}
        </>
      }
      detail={selected !== undefined && <EventDetail id={selected} />}
    />
  );
}

/** Applies the filters to live events, as far as a browser can evaluate them. */
function matchesFilters(
  { type, resource, subject, time }: LogEntryResponse,
  filter: Readonly<Record<"type" | "resource" | "subject" | "from" | "until", string | undefined>>,
): boolean {
  const isSame = (filter: string | undefined, value: string) => filter === undefined || filter === value;
  return (
    isSame(filter.type, type) &&
    isSame(filter.resource, resource) &&
    isSame(filter.subject, subject) &&
    (filter.from === undefined || Date.parse(time) >= Date.parse(filter.from)) &&
    (filter.until === undefined || Date.parse(time) < Date.parse(filter.until))
  );
}

function filtersOf(answer: LogResponse | undefined) {
  const choices = (names: readonly string[] = []) => names.map((value) => ({ value, label: value }));
  return [
    { name: "type", label: t("events.anyType"), choices: choices(answer?.types) },
    { name: "resource", label: t("events.anyResource"), choices: choices(answer?.resources) },
    { name: "subject", label: t("events.subject") },
    { name: "from", label: t("events.from"), isTime: true },
    { name: "until", label: t("events.until"), isTime: true },
  ];
}

function EmptyList({ answer }: { readonly answer: LogResponse }): VNode {
  if (answer.types.length === 0)
    return <Empty title={t("events.noneStated")}>{t("events.noneStatedDetail")}</Empty>;
  const isFiltered = ["type", "resource", "subject", "from", "until"].some((name) => parameter(name));
  if (isFiltered) return <Empty title={t("parts.nothingMatches")} />;
  return <Empty title={t("events.none")}>{t("events.noneDetail")}</Empty>;
}

export const page: Page = {
  name: "events",
  paths: ["/events", "/events/:id"],
  key: "e",
  component: Events,
};
