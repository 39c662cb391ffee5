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
  readonly told: string;
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

async function cuts(
  minutes: number,
  wishes: { readonly loss?: "none of it"; readonly mutant?: string } = {},
) {
  const until = within(minutes);
  const sum = { cuts: 0, acknowledged: 0, lost: 0, half: 0, twice: 0, corrupt: 0, shut: 0 };
  // A run is cut at 200 moments, then there is another: the next has other groups and checkpoints.
  while (!until()) {
    const turns = 4 + Math.floor(draw() * 16);
    const came = await cutPower(shim, { cuts: 200, turns, draw, until, ...wishes });
    for (const name of ["cuts", "acknowledged", "lost", "half", "twice", "corrupt", "shut"] as const)
      sum[name] += came[name];
  }
  return sum;
}

async function cutLine(minutes: number, loss?: "none of it"): Promise<Line> {
  const came = await cuts(minutes, loss === undefined ? {} : { loss });
  const told = `${came.acknowledged} writes acknowledged before them: ${judgedWords(came)}`;
  return { tried: came.cuts, told, isGood: good(came) };
}

async function plantedLine(): Promise<Line> {
  const came = await cutPower(shim, { cuts: 40, turns: 12, draw, mutant: unsynced() });
  return { tried: came.cuts, told: judgedWords(came), isGood: came.lost > 0 };
}

async function killLine(minutes: number): Promise<Line> {
  const came = await killAtCalls(shim, { kills: many, draw, until: within(minutes) });
  const told = `${came.acknowledged} writes acknowledged: ${judgedWords(came)}`;
  return { tried: came.kills, told, isGood: good(came) };
}

async function loadedKillLine(rounds: number): Promise<Line> {
  const { made: plain, madeUnderKey, collected, lost, half, twice } = await killRounds(rounds);
  const told = `${plain + madeUnderKey + collected} writes acknowledged: ${lost} lost, ${half} half, ${twice} twice`;
  return { tried: rounds, told, isGood: lost + half + twice === 0 };
}

type Injected = Judged & Readonly<Record<"calls" | "tried" | "met" | "refused" | "behindSync", number>>;

async function injectLine(error: number, minutes: number): Promise<Line> {
  const folder = join(shim.folder, "failing");
  const kinds =
    callKinds.write | callKinds.sync | callKinds.truncate | callKinds.unlink | callKinds.syncBeside;
  const args = ["inject", folder, String(error), String(kinds), String(Math.round(minutes * minuteMs))];
  const came = JSON.parse(await runWriter(shim, args, { folder })) as Injected;
  const told = `of ${came.calls} calls; ${came.refused} requests refused, ${came.behindSync} acknowledged behind a failed sync: ${judgedWords(came)}`;
  return { tried: came.tried, told, isGood: good(came) && came.behindSync === 0 && came.tried > 0 };
}

async function tornLine(minutes: number): Promise<Line> {
  const { logBytes, tried, opened, refused, half, corrupt, holes } = await tearLogs(shim, within(minutes));
  const told = `in a log of ${logBytes} bytes; ${opened} opened, ${refused} told that they are damaged: ${half} half, ${corrupt} corrupt, ${holes} with holes`;
  return { tried, told, isGood: half + corrupt + holes === 0 && tried > 0 };
}

type Full = Judged &
  Readonly<Record<"before" | "whileFull" | "read" | "of" | "after", number>> & {
    readonly statuses: Readonly<Record<string, number>>;
  };

async function fullLine(): Promise<Line> {
  const folder = join(shim.folder, "full");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const came = JSON.parse(await runWriter(shim, ["full", folder], { folder })) as Full;
  const isGood =
    good(came) &&
    came.whileFull === 0 &&
    came.read === came.of &&
    came.after === came.before &&
    Object.keys(came.statuses).join() === "503 and when to come back";
  const told = `answered ${JSON.stringify(came.statuses)}, ${came.whileFull} acknowledged, ${came.read} of ${came.of} read, ${came.after} stored when there is room: ${judgedWords(came)}`;
  return { tried: 1, told, isGood };
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
for (const [name, run] of kinds.filter(([one]) => one.includes(values.only))) {
  const { tried, told, isGood } = await run().catch(
    (error: unknown): Line => ({ tried: 0, told: String(error), isGood: false }),
  );
  isAllGood &&= isGood;
  const line = `${isGood ? "good" : "BAD "}  ${name.padEnd(34)} ${String(tried).padStart(5)}  ${told}`;
  console.log(line);
  table.push(line);
}
shim.clear();
console.log(`\n${"".padEnd(6)}${"fault".padEnd(34)} ${"tried".padStart(5)}\n${table.join("\n")}`);
process.exitCode = isAllGood ? 0 : 1;
