/**
 * A chart of the last hour: a bar for each minute, stacked by series, with its maximum and its time
 * range as text.
 */
import type { VNode } from "preact";
import { t } from "../words/words.ts";

export interface Series {
  readonly tone: "accent" | "warn" | "bad";
  readonly label: string;
  /** By minute, the oldest first. */
  readonly values: readonly number[];
}

const height = 80;

export function Chart({
  title,
  series,
  format,
}: {
  readonly title: string;
  readonly series: readonly [Series, ...Series[]];
  readonly format: (value: number) => string;
}): VNode {
  const [{ values: minutes }] = series;
  const totals = minutes.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const highest = Math.max(...totals);
  const top = highest > 0 ? highest : 1;
  return (
    <figure class="chart">
      <figcaption>
        {title} <span class="muted number">{t("requests.chartMost", { most: format(highest) })}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${minutes.length * 6} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${t("requests.chartMost", { most: format(highest) })}`}
      >
        {minutes.map((_, at) => (
          <Bar key={at} at={at} series={series} top={top} text={format(totals[at] ?? 0)} />
        ))}
      </svg>
      <div class="chart-ends muted">
        <span>{t("requests.chartFrom", { count: minutes.length })}</span>
        {series.length > 1 && (
          <span class="chart-legend">
            {series.map(({ tone, label }) => (
              <span key={label} class={`legend ${tone}`}>
                {label}
              </span>
            ))}
          </span>
        )}
        <span>{t("requests.chartNow")}</span>
      </div>
    </figure>
  );
}

function Bar({
  at,
  series,
  top,
  text,
}: {
  readonly at: number;
  readonly series: readonly Series[];
  readonly top: number;
  /** The value of the minute, shown on hover. */
  readonly text: string;
}): VNode {
  let below = 0;
  return (
    <g>
      <title>{text}</title>
      {series.map(({ tone, label, values }) => {
        const value = values[at] ?? 0;
        if (value === 0) return null;
        const size = Math.max(1, (value / top) * height);
        below += size;
        return <rect key={label} class={tone} x={at * 6} y={height - below} width={5} height={size} />;
      })}
    </g>
  );
}
