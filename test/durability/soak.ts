/**
 * Soak test: half an hour of mixed load on the example documents and the workshop of the simulation, all in one
 * process, each on a file. Callers request whatever the document has, readers follow its streams, and webhook
 * receivers fail now and then. The clock runs twenty times as fast, so that timers, pauses and retention periods end,
 * and services are stopped and restarted on their files. A store with many records is replaced by an empty one, for
 * the resources that the service uses for constant work must be flat.
 *
 *   nice node test/durability/soak.ts  # 30 minutes
 *   nice node test/durability/soak.ts --minutes 4 --out DIR  # writes soak.csv and soak.svg to DIR, by default a new
 * folder
 *
 * The samples are the heap after a collection, resident memory, open files, the largest log next to
 * a store, and how long requests took. A series is flat if its trend over the last half of the run
 * is no more than a tenth of its median and the allowance of `soak/judge.ts`. The trend is the
 * median of the slopes between all pairs of samples, times the length. The exit code is 1 where one
 * isn't; latency is judged by its median.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { documents } from "../simulation/documents.ts";
import { judge, type Sample, toCsv, toSvg } from "./soak/judge.ts";
import { Soaked } from "./soak/soak-service.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    out: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
const totalMs = Number(values.minutes) * 60_000;
/** The number of samples, independent of the duration. */
const samplesMax = 240;
const sampleEveryMs = Math.max(1_000, totalMs / samplesMax);
/** The services are restarted one after another, at this interval. */
const restartEveryMs = 5_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const folder = mkdtempSync(join(tmpdir(), "ninefold-soak-"));
const out = values.out ?? mkdtempSync(join(tmpdir(), "ninefold-soak-out-"));
mkdirSync(out, { recursive: true });

// The workshop is included, because most examples send no webhooks and have no timed transitions.
const files = ["test/simulation/workshop.md", ...documents.filter((file) => file.startsWith("examples/"))];
const soaked = await Promise.all(
  files.map((file, at) => Soaked.begin(file, join(folder, `${at}.db`), Number(values.seed) + at)),
);
const beganMs = performance.now();
const passedMs = () => performance.now() - beganMs;
const samples: Sample[] = [];
let restarts = 0;

const running = soaked.map((sample) => sample.run(() => passedMs() >= totalMs));
const restarting = (async () => {
  while (passedMs() < totalMs) {
    await pause(Math.min(restartEveryMs, Math.max(0, totalMs - passedMs())));
    await soaked[restarts % soaked.length]?.restart();
    restarts += 1;
  }
})();
for (let at = 1; passedMs() < totalMs; at += 1) {
  await pause(Math.max(0, at * sampleEveryMs - passedMs()));
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  const took = soaked.flatMap((sample) => sample.takeTimes()).sort((a, b) => a - b);
  samples.push({
    seconds: Math.round(passedMs() / 1000),
    heapMiB: heapUsed / 2 ** 20,
    residentMiB: rss / 2 ** 20,
    files: readdirSync("/proc/self/fd").length,
    logMiB:
      Math.max(
        ...readdirSync(folder).map((name) => (name.endsWith("-wal") ? statSync(join(folder, name)).size : 0)),
      ) /
      2 ** 20,
    medianMs: took[Math.floor(took.length / 2)] ?? 0,
    slowMs: took[Math.floor(took.length * 0.99)] ?? 0,
    requests: took.length,
  });
}
await Promise.all([...running, restarting]);
await Promise.all(soaked.map((sample) => sample.end()));
rmSync(folder, { recursive: true, force: true });

writeFileSync(join(out, "soak.csv"), toCsv(samples));
const judged = judge(samples);
writeFileSync(join(out, "soak.svg"), toSvg(samples, judged));
const sums = { requests: 0, refused: 0, failed: 0, sent: 0, streamed: 0, restarted: 0 };
for (const result of soaked)
  for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += result.counts[name];
console.log(JSON.stringify({ minutes: Number(values.minutes), documents: files.length, restarts, ...sums }));
for (const { name, isFlat, median, trend, allowed } of judged)
  console.log(
    `${isFlat ? "flat    " : "NOT FLAT"} ${name}: median ${median.toFixed(2)}, trend ${trend.toFixed(2)} of ${allowed.toFixed(2)}`,
  );
console.log(`${join(out, "soak.csv")}\n${join(out, "soak.svg")}`);
process.exit(judged.every(({ isFlat }) => isFlat) ? 0 : 1);

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
