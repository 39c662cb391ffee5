/**
 * A sparkline: the recent values of a metric as bars, the last one at the right. The text next to
 * it has the number.
 */
import type { VNode } from "preact";

export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[];
  readonly label: string;
}): VNode {
  const top = Math.max(1, ...values);
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${Math.max(1, values.length) * 4} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.map((value, at) => {
        const height = Math.max(value > 0 ? 1.5 : 0.5, (value / top) * 20);
        return <rect key={at} x={at * 4} y={20 - height} width={3} height={height} />;
      })}
    </svg>
  );
}
