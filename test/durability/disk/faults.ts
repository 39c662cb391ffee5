/**
 * Real faults of disks and processes, one kind after another, in ten minutes, with a table at the end. It needs Linux and a C compiler.
 *
 *   npm run test:faults                    # ten minutes
 *   npm run test:faults -- --longer 6      # six times as long
 *   npm run test:faults -- --only cuts     # the kinds with the word in their names
 *   npm run test:faults -- --seed 7
 *
 * Lost, half, twice, corrupt and shut must be 0 in every line but that of the planted fault, where something must be lost.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { killRounds } from "../kill.ts";
import { killAtCalls } from "./kills.ts";
import type { Judged } from "./parcels.ts";
import { cutPower } from "./power-cuts.ts";
import { randomFrom } from "./random.ts";
import { makeShim, runWriter } from "./run-writer.ts";
import { tearLogs } from "./torn-log.ts";
import { callKinds } from "./trace.ts";
import { unsynced } from "./unsynced.ts";

const { values } = parseArgs({
  options: {
    longer: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    seed: { type: "string", default: "20261124" },
  },
});
const made = makeShim();
if (!made) {
  process.stderr.write("There is no C compiler, or this is not Linux: nothing was tried.\n");
  process.exit(2);
}
const shim = made;
const draw = randomFrom(Number(values.seed));
const minuteMs = 60_000 * Number(values.longer);
const many = Number.MAX_SAFE_INTEGER;

interface Line {
  readonly tried: number;
  readonly reported: string;
  readonly isGood: boolean;
}

const good = ({ lost, half, twice, corrupt, shut }: Judged): boolean =>
  lost + half + twice + corrupt + shut === 0;
const judgedWords = ({ lost, half, twice, corrupt, shut }: Judged): string =>
  `${lost} lost, ${half} half, ${twice} twice, ${corrupt} corrupt, ${shut} don't open`;

function within(minutes: number): () => boolean {
  const endsAt = performance.now() + minutes * minuteMs;
  return () => performance.now() > endsAt;
}

async function cuts(minutes: number, given: { readonly loss?: "none of it"; readonly mutant?: string } = {}) {
  const until = within(minutes);
  const sum = { cuts: 0, acknowledged: 0, lost: 0, half: 0, twice: 0, corrupt: 0, shut: 0 };
  // Each run is cut at 200 moments, because the next run has other groups and checkpoints.
  while (!until()) {
    const turns = 4 + Math.floor(draw() * 16);
    const received = await cutPower(shim, { cuts: 200, turns, draw, until, ...given });
    for (const name of ["cuts", "acknowledged", "lost", "half", "twice", "corrupt", "shut"] as const)
      sum[name] += received[name];
  }
  return sum;
}

async function cutLine(minutes: number, loss?: "none of it"): Promise<Line> {
  const received = await cuts(minutes, loss === undefined ? {} : { loss });
  const reported = `${received.acknowledged} writes acknowledged before them: ${judgedWords(received)}`;
  return { tried: received.cuts, reported, isGood: good(received) };
}

async function plantedLine(): Promise<Line> {
  const received = await cutPower(shim, { cuts: 40, turns: 12, draw, mutant: unsynced() });
  return { tried: received.cuts, reported: judgedWords(received), isGood: received.lost > 0 };
}

async function killLine(minutes: number): Promise<Line> {
  const received = await killAtCalls(shim, { kills: many, draw, until: within(minutes) });
  const reported = `${received.acknowledged} writes acknowledged: ${judgedWords(received)}`;
  return { tried: received.kills, reported, isGood: good(received) };
}

async function loadedKillLine(rounds: number): Promise<Line> {
  const { made: plain, madeUnderKey, collected, lost, half, twice } = await killRounds(rounds);
  const reported = `${plain + madeUnderKey + collected} writes acknowledged: ${lost} lost, ${half} half, ${twice} twice`;
  return { tried: rounds, reported, isGood: lost + half + twice === 0 };
}

type Injected = Judged & Readonly<Record<"calls" | "tried" | "met" | "refused" | "behindSync", number>>;

async function injectLine(error: number, minutes: number): Promise<Line> {
  const folder = join(shim.folder, "failing");
  const kinds =
    callKinds.write | callKinds.sync | callKinds.truncate | callKinds.unlink | callKinds.syncConcurrently;
  const args = ["inject", folder, String(error), String(kinds), String(Math.round(minutes * minuteMs))];
  const received = JSON.parse(await runWriter(shim, args, { folder })) as Injected;
  const reported = `of ${received.calls} calls; ${received.refused} requests refused, ${received.behindSync} acknowledged behind a failed sync: ${judgedWords(received)}`;
  return {
    tried: received.tried,
    reported,
    isGood: good(received) && received.behindSync === 0 && received.tried > 0,
  };
}

async function tornLine(minutes: number): Promise<Line> {
  const { logBytes, tried, opened, refused, half, corrupt, holes } = await tearLogs(shim, within(minutes));
  const reported = `in a log of ${logBytes} bytes; ${opened} opened, ${refused} reported as damaged: ${half} half, ${corrupt} corrupt, ${holes} with holes`;
  return { tried, reported, isGood: half + corrupt + holes === 0 && tried > 0 };
}

type Full = Judged &
  Readonly<Record<"before" | "whileFull" | "read" | "of" | "after", number>> & {
    readonly statuses: Readonly<Record<string, number>>;
  };

async function fullLine(): Promise<Line> {
  const folder = join(shim.folder, "full");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const received = JSON.parse(await runWriter(shim, ["full", folder], { folder })) as Full;
  const isGood =
    good(received) &&
    received.whileFull === 0 &&
    received.read === received.of &&
    received.after === received.before &&
    Object.keys(received.statuses).join() === "503 and when to come back";
  const reported = `answered ${JSON.stringify(received.statuses)}, ${received.whileFull} acknowledged, ${received.read} of ${received.of} read, ${received.after} stored when there is room: ${judgedWords(received)}`;
  return { tried: 1, reported, isGood };
}

const ioError = 5;
const noSpace = 28;
const kinds: readonly (readonly [string, () => Promise<Line>])[] = [
  ["power cuts", () => cutLine(2)],
  ["power cuts, planted: not synced", plantedLine],
  ["kills between two calls, replayed", () => cutLine(1, "none of it")],
  ["kills before a call", () => killLine(1.5)],
  ["kills under load", () => loadedKillLine(Math.round(10 * Number(values.longer)))],
  ["EIO at a call", () => injectLine(ioError, 1.2)],
  ["ENOSPC at a call", () => injectLine(noSpace, 1.2)],
  ["torn or damaged log", () => tornLine(1.2)],
  ["a disk that fills", fullLine],
];

let isAllGood = true;
const table: string[] = [];
for (const [name, run] of kinds.filter(([kind]) => kind.includes(values.only))) {
  const { tried, reported, isGood } = await run().catch(
    (error: unknown): Line => ({ tried: 0, reported: String(error), isGood: false }),
  );
  isAllGood &&= isGood;
  const line = `${isGood ? "good" : "BAD "}  ${name.padEnd(34)} ${String(tried).padStart(5)}  ${reported}`;
  console.log(line);
  table.push(line);
}
shim.clear();
console.log(`\n${"".padEnd(6)}${"fault".padEnd(34)} ${"tried".padStart(5)}\n${table.join("\n")}`);
process.exitCode = isAllGood ? 0 : 1;
