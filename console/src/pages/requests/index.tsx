/**
 * The last requests to the service, live: status, duration, caller, and the line of the document
 * that decided each.
 */
import type { VNode } from "preact";
import type { RequestRow } from "../../../../src/admin/api/requests/requests.ts";
import { StatusChip } from "../../parts/chip.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { type Filter, FilterLine } from "../../parts/filter-line.tsx";
import { ListAndDetail } from "../../parts/list-and-detail.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { addressWith, parameter } from "../../routing/address.ts";
import { useKeys } from "../../keys/keys.ts";
import { t } from "../../words/words.ts";
import type { Page, PageProperties } from "../page.ts";
import { Endpoints, RequestViews } from "./endpoints.tsx";
import { type LiveRequests, useLiveRequests } from "./live-requests.ts";
import { milliseconds } from "../../parts/milliseconds.ts";
import { RequestDetail } from "./request-detail.tsx";
import { filtersInAddress } from "./request-filters.ts";
import "./style.css";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function Requests({ parameters }: PageProperties): VNode {
  return parameter("view") === "endpoints" && parameters["id"] === undefined ? (
    <Endpoints />
  ) : (
    <RequestList parameters={parameters} />
  );
}

function RequestList({ parameters }: PageProperties): VNode {
  const live = useLiveRequests(filtersInAddress());
  const selected = parameters["id"];
  const { rows, fetched } = live;
  useKeys({ p: () => live.setPaused(!live.isPaused) });
  return (
    <ListAndDetail
      list={
        <>
          <PageHead
            title={t("requests.title")}
            about={<span class="muted">{t("requests.shown", { count: rows.length })}</span>}
            actions={<Pause live={live} />}
          />
          <RequestViews />
          <FilterLine of={filters()} />
          {live.missed > 0 && (
            <p class="requests-missed">
              {t("requests.missed", { count: live.missed })}{" "}
              <button type="button" class="small" onClick={fetched.again}>
                {t("requests.showMissed")}
              </button>
            </p>
          )}
          {fetched.error && <ErrorNotice error={fetched.error} again={fetched.again} />}
          {rows.length > 0 ? (
            <Table
              label={t("requests.table")}
              // The open detail shows the other columns, and needs the space.
              columns={
                selected === undefined
                  ? columns
                  : columns.filter(({ name }) => name !== "caller" && name !== "took")
              }
              rows={rows}
              keyOf={(row) => String(row.number)}
              linkOf={(row) => addressWith({}, `/requests/${row.id}`)}
              selectedKey={rows.find(({ id }) => id === selected)?.number.toString()}
            />
          ) : (
            fetched.answer && (
              <Nothing isFiltered={Object.values(filtersInAddress()).some((value) => value !== undefined)} />
            )
          )}
        </>
      }
      detail={selected === undefined ? null : <RequestDetail id={selected} />}
    />
  );
}

/** The button shows how many rows are waiting. */
function Pause({ live: { isPaused, waiting, setPaused } }: { readonly live: LiveRequests }): VNode {
  const words = isPaused && waiting > 0 ? t("requests.waiting", { count: waiting }) : undefined;
  return (
    <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
      {isPaused ? t("requests.resume") : t("requests.pause")}
      {words && <span class="requests-waiting"> · {words}</span>}
    </button>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): VNode {
  return isFiltered ? (
    <Empty title={t("parts.nothingMatches")} />
  ) : (
    <Empty title={t("requests.none")}>{t("requests.noneMore")}</Empty>
  );
}

function filters(): readonly Filter[] {
  const choice = (value: string) => ({ value, label: value });
  return [
    {
      name: "status",
      label: t("requests.status"),
      choices: [
        { value: "2xx", label: t("requests.class2") },
        { value: "3xx", label: t("requests.class3") },
        { value: "4xx", label: t("requests.class4") },
        { value: "5xx", label: t("requests.class5") },
        ...["401", "403", "404", "409", "422", "429"].map(choice),
      ],
    },
    { name: "method", label: t("requests.method"), choices: methods.map(choice) },
    { name: "text", label: t("requests.text") },
    { name: "caller", label: t("requests.caller") },
    { name: "condition", label: t("requests.condition") },
    // Links from other pages set this filter; no one types an identifier where a link exists.
    ...(parameter("endpoint") === undefined ? [] : [{ name: "endpoint", label: t("requests.endpoint") }]),
    ...(parameter("record") === undefined ? [] : [{ name: "record", label: t("requests.record") }]),
  ];
}

const columns: readonly Column<RequestRow>[] = [
  {
    name: "request",
    head: t("requests.request"),
    cell: ({ method, path }) =>
      method === "" ? (
        <span class="muted">{t("requests.unparsed")}</span>
      ) : (
        <code class="request-line" title={`${method} ${path}`}>
          <span class="request-method">{method}</span> {path}
        </code>
      ),
  },
  {
    name: "time",
    head: t("requests.time"),
    width: "7rem",
    cell: ({ time }) => (
      <span class="muted">
        <Time at={time} isRecent />
      </span>
    ),
  },
  {
    name: "status",
    head: t("requests.status"),
    width: "4.5rem",
    cell: ({ status }) => <StatusChip status={status} />,
  },
  {
    name: "took",
    head: t("requests.took"),
    width: "5.5rem",
    align: "end",
    cell: (row) => (
      <span class="number">
        {row.stream === "open" ? t("requests.streaming") : milliseconds(row.took_ms)}
      </span>
    ),
  },
  {
    name: "caller",
    head: t("requests.caller"),
    width: "18%",
    isWideOnly: true,
    cell: ({ caller }) => caller && <span class="id-text">{caller.id}</span>,
  },
  {
    name: "because",
    head: t("requests.because"),
    width: "6.5rem",
    cell: ({ line }) => line !== null && <DocumentLine line={line} />,
  },
];

export const page: Page = {
  name: "requests",
  paths: ["/requests", "/requests/:id"],
  key: "r",
  component: Requests,
};
