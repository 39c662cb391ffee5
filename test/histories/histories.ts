/**
 * Histories of clients of several instances on one PostgreSQL, while connections break and instances die, seed by
 * seed: each must be equivalent to running all requests one after another (`check.ts` decides that).
 *
 *   npm run histories -- --seeds 200  # seeds 1 to 200
 *   npm run histories -- --seeds 20 --apart  # instances are processes, killed by kill -9
 *   npm run histories -- --seeds 1 --seed 7 --no-faults
 *
 * A seed decides what is requested and what breaks when; how these interleave is chance. A history that fails is
 * printed in short, and the exit code is then 1.
 */
import { parseArgs } from "node:util";
import { anomalyOf } from "./check.ts";
import { play, usual } from "./play.ts";
import { storyOf } from "./story.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    instances: { type: "string", default: String(usual.instances) },
    clients: { type: "string", default: String(usual.clients) },
    operations: { type: "string", default: String(usual.operations) },
    faults: { type: "boolean", default: true },
    apart: { type: "boolean", default: false },
    "first-alone": { type: "boolean", default: false },
    "stop-after": { type: "string", default: "3" },
  },
  allowNegative: true,
});
const first = Number(values.seed);
const sums: Record<string, number> = {};
const add = (name: string, count = 1) => {
  sums[name] = (sums[name] ?? 0) + count;
};
let played = 0;
let failed = 0;
const beganAt = performance.now();

for (
  let seed = first;
  seed < first + Number(values.seeds) && failed < Number(values["stop-after"]);
  seed += 1
) {
  played += 1;
  const history = await play(seed, {
    instances: Number(values.instances),
    clients: Number(values.clients),
    operations: Number(values.operations),
    faults: values.faults,
    apart: values.apart,
    isFirstAlone: values["first-alone"],
  });
  for (const { answer } of history.done) add(answer ? String(answer.status) : "unknown");
  for (const [name, count] of Object.entries(history.faults)) add(name, count);
  add("events", history.log.length);
  if (played % 20 === 0) console.log(`${played} seeds, ${failed} failed`);
  const anomaly = anomalyOf(history);
  if (!anomaly) continue;
  failed += 1;
  console.log(`seed ${seed}: ${storyOf(history, anomaly)}`);
}
const seconds = Math.round((performance.now() - beganAt) / 1000);
console.log(`${played} seeds, ${failed} failed, ${seconds} s`);
console.log(JSON.stringify(sums));
process.exit(failed > 0 ? 1 : 0);
