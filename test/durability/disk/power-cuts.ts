/**
 * Power cuts. `shim.c` records what a service does to its files call by call. The test then builds the disk as a cut
 * at any of these calls may leave it: with all that was synced, and with all, nothing or any sectors of the rest. The
 * service starts from each such disk, and must have whatever was acknowledged before the cut.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as aTurn } from "node:timers/promises";
import type { Judged } from "./parcels.ts";
import { type Acknowledged, addTo, judgeStore, nothingJudged } from "./parcels.ts";
import { runWriter, type Shim } from "./run-writer.ts";
import { type Call, callKinds, Disk, type Loss, readTrace } from "./trace.ts";

export interface Cuts extends Judged {
  calls: number;
  cuts: number;
  /** The sum of writes acknowledged before the cuts. */
  acknowledged: number;
}

export interface CutOptions {
  readonly cuts: number;
  readonly clients?: number;
  readonly turns?: number;
  /**
   * The lost part of unsynced data, unless it is drawn. Losing nothing is what a kill between two
   * calls leaves.
   */
  readonly loss?: Loss;
  /** A fault planted in the writer, to prove that the test detects it (`test/fault-loader.ts`). */
  readonly mutant?: string;
  readonly draw: () => number;
  readonly until?: () => boolean;
}

export async function cutPower(shim: Shim, options: CutOptions): Promise<Cuts> {
  const { cuts, clients = 8, turns = 12, draw, mutant, loss, until = () => false } = options;
  const folder = join(shim.folder, "traced");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const trace = join(shim.folder, "trace");
  rmSync(trace, { force: true });
  await runWriter(shim, ["trace", folder, String(clients), String(turns)], { folder, trace, mutant });
  const calls = readTrace(trace);
  const at = Array.from({ length: cuts }, () => Math.floor(draw() * (calls.length + 1))).sort(
    (a, b) => a - b,
  );
  const received: Cuts = { ...nothingJudged(), calls: calls.length, cuts: 0, acknowledged: 0 };
  const disk = new Disk();
  const acks: Buffer[] = [];
  let made = 0;
  for (const cut of at) {
    for (; made < cut; made += 1) step(calls[made] as Call, disk, acks);
    const acknowledged = acknowledgedOf(acks);
    addTo(
      received,
      await startAfter(join(shim.folder, "cut"), disk.after(loss ?? lossOf(draw), draw), acknowledged),
    );
    received.cuts += 1;
    received.acknowledged += acknowledged.length;
    await aTurn();
    if (until()) break;
  }
  return received;
}

function step(call: Call, disk: Disk, acks: Buffer[]): void {
  if (basename(call.path) !== "acks") disk.make(call);
  else if (call.kind === callKinds.write) acks.push(call.bytes);
}

function acknowledgedOf(acks: readonly Buffer[]): readonly Acknowledged[] {
  return acks.map((line) => JSON.parse(line.toString("utf8")) as Acknowledged);
}

function lossOf(draw: () => number): Loss {
  const drawn = draw();
  if (drawn < 0.25) return "all of it";
  return drawn < 0.4 ? "none of it" : "any of it";
}

async function startAfter(
  folder: string,
  files: ReadonlyMap<string, Buffer>,
  acknowledged: readonly Acknowledged[],
): Promise<Judged> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  // Shared memory is lost with the power.
  for (const [path, bytes] of files)
    if (!path.endsWith("-shm")) writeFileSync(join(folder, basename(path)), bytes);
  return judgeStore(join(folder, "store.db"), acknowledged);
}
