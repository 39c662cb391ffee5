/**
 * Damaged logs: a store's log cut off, or with a byte that is another, at every 512 bytes. SQLite
 * continues with what precedes it. So each such store either opens with a prefix of what was
 * stored, in whole transactions, or reports damage. It never opens as if nothing were missing.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as aTurn } from "node:timers/promises";
import { judgeAlone } from "./parcels.ts";
import { runWriter, type Shim } from "./run-writer.ts";
import { callKinds, Disk, readTrace } from "./trace.ts";

export interface Torn {
  logBytes: number;
  tried: number;
  /** Opened with a prefix of the stored transactions. */
  opened: number;
  /** Rejected with an error message. */
  refused: number;
  half: number;
  corrupt: number;
  /** Opened with a later transaction but without an earlier one. */
  holes: number;
}

const everyBytes = 512;

export async function tearLogs(shim: Shim, until: () => boolean = () => false): Promise<Torn> {
  const folder = join(shim.folder, "torn-from");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const trace = join(shim.folder, "torn-trace");
  rmSync(trace, { force: true });
  await runWriter(shim, ["work", folder, "torn", "4", "10"], { folder, trace });
  const { store, log } = longestLog(trace, join(folder, "store.db"));
  const received: Torn = {
    logBytes: log.length,
    tried: 0,
    opened: 0,
    refused: 0,
    half: 0,
    corrupt: 0,
    holes: 0,
  };
  const target = join(shim.folder, "torn");
  for (let at = 0; at < log.length && !until(); at += everyBytes)
    for (const damaged of [log.subarray(0, at), flipped(log, at)]) {
      rmSync(target, { recursive: true, force: true });
      mkdirSync(target);
      writeFileSync(join(target, "store.db"), store);
      writeFileSync(join(target, "store.db-wal"), damaged);
      const judged = await judgeAlone(join(target, "store.db"));
      received.tried += 1;
      if (judged === "refused") received.refused += 1;
      else {
        received.opened += 1;
        for (const name of ["half", "corrupt", "holes"] as const) received[name] += judged[name];
      }
      await aTurn();
    }
  return received;
}

/** The files at the moment with the longest log. */
function longestLog(trace: string, path: string): { readonly store: Buffer; readonly log: Buffer } {
  const disk = new Disk();
  let [longest, store, log]: [number, Buffer, Buffer] = [0, Buffer.alloc(0), Buffer.alloc(0)];
  for (const call of readTrace(trace)) {
    disk.make(call);
    const end = call.offset + call.bytes.length;
    if (call.path !== `${path}-wal` || call.kind !== callKinds.write || end <= longest) continue;
    longest = end;
    const files = disk.after("none of it", () => 0);
    [store, log] = [files.get(path) ?? store, files.get(`${path}-wal`) ?? log];
  }
  return { store, log };
}

function flipped(log: Buffer, at: number): Buffer {
  const other = Buffer.from(log);
  const place = Math.min(log.length - 1, at + 40);
  other[place] = (other[place] ?? 0) ^ 0x55;
  return other;
}
