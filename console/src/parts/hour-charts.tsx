/** The last hour by minute as two charts: the rate with its failures, and the latency. */
import type { VNode } from "preact";
import type { HourResponse } from "../../../src/admin/api/requests/traffic.ts";
import { numberText, t } from "../words/words.ts";
import { Chart } from "./chart.tsx";
import { milliseconds } from "./milliseconds.ts";

type Minute = HourResponse["history"][number];

/** All sixty minutes; those before the start are empty. */
export function hourOf(history: readonly Minute[]): readonly (Minute | undefined)[] {
  return [...Array.from({ length: 60 - history.length }, () => undefined), ...history];
}

export function HourCharts({
  hour,
  isOfAttempts = false,
}: {
  readonly hour: HourResponse;
  readonly isOfAttempts?: boolean;
}): VNode {
  const minutes = hourOf(hour.history);
  const values = (of: (minute: Minute) => number | null) =>
    minutes.map((minute) => (minute && of(minute)) ?? 0);
  const errors = { tone: "bad", values: values((minute) => minute.errors) } as const;
  const fine = {
    tone: "accent",
    values: values(({ requests, errors: failed, refused }) => requests - failed - refused),
  } as const;
  return (
    <>
      {isOfAttempts ? (
        <Chart
          title={t("deliveries.chartAttempts")}
          series={[
            { ...errors, label: t("deliveries.attemptsFailed") },
            { ...fine, label: t("deliveries.attemptsDelivered") },
          ]}
          format={numberText}
        />
      ) : (
        <Chart
          title={t("requests.chartRequests")}
          series={[
            { ...errors, label: t("requests.serverErrors") },
            { tone: "warn", label: t("requests.clientErrors"), values: values(({ refused }) => refused) },
            { ...fine, label: t("requests.count") },
          ]}
          format={numberText}
        />
      )}
      <Chart
        title={t("requests.chartLatency")}
        series={[{ tone: "accent", label: t("requests.p95"), values: values(({ p95_ms }) => p95_ms) }]}
        format={milliseconds}
      />
    </>
  );
}
