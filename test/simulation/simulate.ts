/**
 * Whole services at random, seed by seed: clients, receivers and operators act on real documents, the process dies, time jumps; after each
 * step all invariants of `invariants/` must hold. A process that dies leaves its file as it stands. Other faults of a disk (writes that are lost
 * or torn, calls that fail, no room) is tried on real files and calls by `npm run test:faults`, not here.
 *
 *   npm run simulate -- --seeds 100                                  # seeds 1 to 100, over all documents in turn
 *   npm run simulate -- --seeds 20 --seed 7 --document examples/parcel-desk.md
 *   npm run simulate -- --seed 7 --document examples/parcel-desk.md --print   # one story, printed
 *   npm run simulate -- --story '{"file":"examples/parcel-desk.md", …}'       # one as it was printed, in JSON
 *
 * A seed that fails is made as short as it goes on failing, and printed; the exit code is 1 then.
 */
import "./platform.ts";
import { parseArgs } from "node:util";
import { documents } from "./documents.ts";
import { Breach, type ReceivedRequest, play } from "./play.ts";
import { shortened } from "./shrink.ts";
import { drawStory, type Story, reportedStep } from "./story.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    steps: { type: "string", default: "40" },
    document: { type: "string", multiple: true },
    story: { type: "string" },
    report: { type: "boolean", default: false },
    short: { type: "boolean", default: true },
    "stop-after": { type: "string", default: "5" },
  },
  allowNegative: true,
});
const files = values.document ?? documents;
const first = Number(values.seed);
const sums: Record<string, number> = {};
const statuses: Record<string, number> = {};
let [played, requests, simulatedMs, failed] = [0, 0, 0, 0];
const beganMs = performance.now();

for (let seed = first; seed < first + Number(values.seeds); seed += 1) {
  played += 1;
  const file = files[(seed - 1) % files.length] as string;
  const story: Story =
    values.story === undefined ? drawStory(file, seed, Number(values.steps)) : JSON.parse(values.story);
  try {
    const received = await play(story, values.report ? { report: console.log } : {});
    add(received);
    if (values.report) console.log(received.hash);
  } catch (error) {
    failed += 1;
    await reportFailed(story, error);
    if (failed >= Number(values["stop-after"])) break;
  }
  if (played % 100 === 0) console.log(`${played} seeds, ${failed} failed, ${seconds()} s`);
}
const hours = Math.round(simulatedMs / 3_600_000);
console.log(
  `${played} seeds, ${requests} requests, ${hours} simulated hours, ${failed} failed, ${seconds()} s`,
);
console.log(JSON.stringify({ ...sums, statuses }));
process.exit(failed > 0 ? 1 : 0);

function seconds(): number {
  return Math.round((performance.now() - beganMs) / 1000);
}

function add(received: ReceivedRequest): void {
  requests += received.requests;
  simulatedMs += received.simulatedMs;
  for (const [name, count] of Object.entries(received.faults)) sums[name] = (sums[name] ?? 0) + count;
  for (const [name, count] of Object.entries(received.statuses))
    statuses[name] = (statuses[name] ?? 0) + count;
}

async function reportFailed(story: Story, error: unknown): Promise<void> {
  const words = error instanceof Breach ? error.message : String((error as Error)?.stack ?? error);
  console.log(`\nseed ${story.seed} of ${story.file}: ${words}`);
  if (!(error instanceof Breach) || !values.short) return;
  const short = await shortened(story, error);
  console.log(
    `the shortest story, ${short.story.steps.length} of ${story.steps.length} steps: ${short.breach.message}`,
  );
  for (const step of short.story.steps) console.log(`  - ${reportedStep(step)}`);
  console.log(JSON.stringify(short.story));
  await play(short.story, { report: (line) => console.log(`    ${line}`) }).catch(() => undefined);
}
