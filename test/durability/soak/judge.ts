/** Judges the samples of a soak test: a table, a plot, and whether each value is flat. */
export interface Sample {
  readonly seconds: number;
  readonly heapMiB: number;
  readonly residentMiB: number;
  readonly files: number;
  /** The largest log next to a store. */
  readonly logMiB: number;
  readonly medianMs: number;
  readonly slowMs: number;
  readonly requests: number;
}

type Name = Exclude<keyof Sample, "seconds">;

/**
 * The allowed rise of each value in addition to a tenth of its median: the effect of one more file,
 * page or garbage collection.
 */
const allowances = {
  heapMiB: 4,
  residentMiB: 32,
  files: 2,
  logMiB: 1,
  medianMs: 1,
} as const satisfies Partial<Record<Name, number>>;

export interface Judged {
  readonly name: Name;
  readonly median: number;
  /** The rise over the second half. */
  readonly trend: number;
  readonly allowed: number;
  readonly isFlat: boolean;
}

export function judge(samples: readonly Sample[]): readonly Judged[] {
  const half = samples.slice(Math.floor(samples.length / 2));
  return (Object.keys(allowances) as (keyof typeof allowances)[]).map((name) => {
    const slopes = half.flatMap((sample, at) =>
      half
        .slice(at + 1)
        .map((other) => (other[name] - sample[name]) / Math.max(1, other.seconds - sample.seconds)),
    );
    const seconds = (half.at(-1)?.seconds ?? 0) - (half[0]?.seconds ?? 0);
    const median = medianOf(half.map((sample) => sample[name]));
    const trend = medianOf(slopes) * seconds;
    const allowed = median / 10 + allowances[name];
    return { name, median, trend, allowed, isFlat: trend <= allowed };
  });
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

export function toCsv(samples: readonly Sample[]): string {
  const names = Object.keys(samples[0] ?? {}) as (keyof Sample)[];
  const lines = samples.map((sample) =>
    names.map((name) => String(Math.round(sample[name] * 100) / 100)).join(","),
  );
  return `${[names.join(","), ...lines].join("\n")}\n`;
}

const width = 720;
const height = 90;

/** One panel for each value, from zero to its maximum. */
export function toSvg(samples: readonly Sample[], judged: readonly Judged[]): string {
  const last = samples.at(-1)?.seconds ?? 1;
  const names = Object.keys(samples[0] ?? {}).filter((name) => name !== "seconds") as Name[];
  const panels = names.map((name, at) => {
    const highest = Math.max(...samples.map((sample) => sample[name]), 1e-9);
    const points = samples.map(
      (sample) =>
        `${((sample.seconds / last) * width).toFixed(1)},${(height - (sample[name] / highest) * (height - 20)).toFixed(1)}`,
    );
    const verdict = judged.find((judgement) => judgement.name === name);
    const said = verdict === undefined ? "" : verdict.isFlat ? ", flat" : ", NOT FLAT";
    return `<g transform="translate(10 ${10 + at * (height + 20)})"><text y="12">${name}, highest ${highest.toFixed(1)}${said}</text>
<path d="M0 ${height}H${width}" stroke="#999"/><polyline fill="none" stroke="#06c" points="${points.join(" ")}"/></g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width + 20}" height="${names.length * (height + 20) + 20}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${panels.join("\n")}
<text x="10" y="${names.length * (height + 20) + 12}">${last} seconds</text>
</svg>
`;
}
