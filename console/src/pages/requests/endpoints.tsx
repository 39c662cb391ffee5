/**
 * The requests of the last hour by endpoint: their number, statuses and durations, minute by
 * minute.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { TrafficResponse } from "../../../../src/admin/api/requests/traffic.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useFrames } from "../../api/use-topic.ts";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { HourCharts, hourOf } from "../../parts/hour-charts.tsx";
import { type KeyValue, KeyValues } from "../../parts/key-values.tsx";
import { Detail, ListAndDetail } from "../../parts/list-and-detail.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Views } from "../../parts/views.tsx";
import { addressWith, parameter } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { numberText, t } from "../../words/words.ts";
import { milliseconds } from "../../parts/milliseconds.ts";

type Row = TrafficResponse["endpoints"][number];

/** The minimum interval of fetches while requests arrive, in milliseconds. */
const calmMs = 5_000;

export function RequestViews(): VNode {
  const isEndpoints = parameter("view") === "endpoints";
  return (
    <Views
      label={t("requests.views")}
      of={[
        { label: t("requests.viewLive"), link: linkTo(["requests"]), isCurrent: !isEndpoints },
        {
          label: t("requests.viewEndpoints"),
          link: linkTo(["requests"], { view: "endpoints" }),
          isCurrent: isEndpoints,
        },
      ]}
    />
  );
}

export function Endpoints(): VNode {
  const { answer, error, again } = useAnswer<TrafficResponse>("/api/traffic");
  const [isWaiting, setWaiting] = useState(false);
  useFrames("requests", (frame) => {
    if (frame.kind !== "rows" || isWaiting) return;
    setWaiting(true);
    setTimeout(() => {
      setWaiting(false);
      again();
    }, calmMs);
  });
  const selected = parameter("endpoint");
  const row =
    selected === undefined ? undefined : answer?.endpoints.find((endpoint) => keyOf(endpoint) === selected);
  return (
    <ListAndDetail
      list={
        <>
          <PageHead title={t("requests.title")} />
          <RequestViews />
          {error && <ErrorNotice error={error} again={again} />}
          {answer && answer.endpoints.length === 0 && <Empty title={t("requests.endpointsNone")} />}
          {answer && answer.endpoints.length > 0 && (
            <Table
              label={t("requests.endpointsTable")}
              columns={row ? columns.filter(({ isWideOnly }) => !isWideOnly) : columns}
              rows={answer.endpoints}
              keyOf={keyOf}
              linkOf={(row) => addressWith({ endpoint: keyOf(row) })}
              selectedKey={selected}
            />
          )}
        </>
      }
      detail={row && <EndpointDetail row={row} />}
    />
  );
}

const keyOf = ({ endpoint }: Row) => endpoint ?? "-";

/** A share of all requests, with as many digits as it needs. */
function share(count: number, { requests }: Row): string {
  return count === 0
    ? "0"
    : `${numberText(count)} (${((100 * count) / requests).toFixed(count === requests ? 0 : 1)} %)`;
}

const time = (ms: number | null) => (ms === null ? "" : milliseconds(ms));

function perMinute({ requests, history }: Row): string {
  return (requests / Math.max(1, history.length)).toFixed(1);
}

const columns: readonly Column<Row>[] = [
  {
    name: "endpoint",
    head: t("requests.endpoint"),
    cell: ({ endpoint }) =>
      endpoint === null ? (
        <span class="muted">{t("requests.noEndpoint")}</span>
      ) : (
        <code class="request-line">{endpoint}</code>
      ),
  },
  {
    name: "count",
    head: t("requests.count"),
    width: "5.5rem",
    align: "end",
    cell: ({ requests }) => <span class="number">{numberText(requests)}</span>,
  },
  {
    name: "rate",
    head: t("requests.perMinute"),
    width: "6.5rem",
    align: "end",
    isWideOnly: true,
    cell: (row) => <span class="number">{perMinute(row)}</span>,
  },
  {
    name: "refused",
    head: t("requests.clientErrors"),
    width: "6.5rem",
    align: "end",
    isWideOnly: true,
    cell: (row) => <span class="number">{share(row.refused, row)}</span>,
  },
  {
    name: "errors",
    head: t("requests.serverErrors"),
    width: "6.5rem",
    align: "end",
    cell: (row) => (
      <span class={row.errors > 0 ? "number bad-words" : "number"}>{share(row.errors, row)}</span>
    ),
  },
  {
    name: "p50",
    head: t("requests.p50"),
    width: "5rem",
    align: "end",
    isWideOnly: true,
    cell: ({ p50_ms }) => <span class="number">{time(p50_ms)}</span>,
  },
  {
    name: "p95",
    head: t("requests.p95"),
    width: "6.5rem",
    align: "end",
    cell: ({ p95_ms }) => <span class="number">{time(p95_ms)}</span>,
  },
  {
    name: "history",
    head: t("requests.lastHour"),
    width: "140px",
    isWideOnly: true,
    cell: ({ history }) => (
      <Sparkline
        values={hourOf(history).map((minute) => minute?.requests ?? 0)}
        label={t("requests.chartRequests")}
      />
    ),
  },
];

function EndpointDetail({ row }: { readonly row: Row }): VNode {
  const { endpoint, line, requests, errors, refused: rejected } = row;
  const rows: readonly (KeyValue | false)[] = [
    [
      t("requests.count"),
      <span class="number">{`${numberText(requests)} · ${t("requests.rate", { count: perMinute(row) })}`}</span>,
    ],
    [t("requests.clientErrors"), <span class="number">{share(rejected, row)}</span>],
    [t("requests.serverErrors"), <span class="number">{share(errors, row)}</span>],
    [t("requests.p50"), <span class="number">{time(row.p50_ms)}</span>],
    [t("requests.p95"), <span class="number">{time(row.p95_ms)}</span>],
    [t("requests.p99"), <span class="number">{time(row.p99_ms)}</span>],
  ];
  return (
    <Detail
      title={<code class="request-title">{endpoint ?? t("requests.noEndpoint")}</code>}
      about={line !== null && <DocumentLine line={line} />}
      closeTo={addressWith({ endpoint: undefined })}
      name={keyOf(row)}
      actions={
        endpoint !== null && (
          <a class="button small" href={linkTo(["requests"], { endpoint })}>
            {t("requests.showRequests")}
          </a>
        )
      }
    >
      <KeyValues of={rows} />
      <HourCharts hour={row} />
    </Detail>
  );
}
