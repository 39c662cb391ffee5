/**
 * Kills: the process is killed before any of its calls to the disk, and restarted on the files that
 * it left, repeatedly on one store. Everything acknowledged by any process must exist.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Acknowledged, addTo, type Judged, judgeStore, nothingJudged } from "./parcels.ts";
import { runWriter, type Shim } from "./run-writer.ts";

export interface Kills extends Judged {
  kills: number;
  acknowledged: number;
}

/** Kills on one store before a new one replaces it, so that each check stays small. */
const killsOfStore = 25;
/** The approximate number of calls of one process. */
const callsOfLife = 400;

export async function killAtCalls(
  shim: Shim,
  { kills, draw, until = () => false }: { kills: number; draw: () => number; until?: () => boolean },
): Promise<Kills> {
  const folder = join(shim.folder, "killed");
  const received: Kills = { ...nothingJudged(), kills: 0, acknowledged: 0 };
  let all: Acknowledged[] = [];
  for (let kill = 0; kill < kills && !until(); kill += 1) {
    if (kill % killsOfStore === 0) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      all = [];
    }
    const killedAt = 1 + Math.floor(draw() * callsOfLife);
    await runWriter(shim, ["work", folder, String(kill), "6", "20"], { folder, killedAt });
    const reported = acknowledgedIn(join(folder, "acks"));
    all.push(...reported);
    // Each start is judged, and also repairs the store. So only every other process starts on the
    // files of a kill.
    if (kill % 2 === 1) addTo(received, await judgeStore(join(folder, "store.db"), all));
    received.kills += 1;
    received.acknowledged += reported.length;
  }
  if (received.kills % 2 === 1) addTo(received, await judgeStore(join(folder, "store.db"), all));
  return received;
}

function acknowledgedIn(path: string): readonly Acknowledged[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  rmSync(path);
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Acknowledged);
}
