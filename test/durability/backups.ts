/**
 * Backups of a store under constant writes: a process stores 2,000 records a second, each with an event in the same
 * commit; another one makes backups of it, and is killed at random moments.
 *
 * A consistent backup is the store at one moment. Up to some event N it has exactly the records 1 …
 * N as they were stored, and at least those acknowledged when it started. The run counts backups
 * that are inconsistent. After a kill, either no file has the backup's name or the file is a
 * consistent backup. All counts must be 0; at the end a backup is restored and opened with the
 * document.
 *
 *   node test/durability/backups.ts [backups, 5 by default] [kills, 50]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { backUpStore, openStore, restoreStore } from "../../src/store/index.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";

const writesPerSecond = 2000;
/** The number of concurrent writes. */
const batch = 20;
/** The maximum time of a backup here, in milliseconds. */
const killMsMax = 100;
/** The step of the delay from kill to kill, so that kills cover the whole time of a backup. */
const killStepMs = 37;

export const notes = model([resource("Note", [field("number", "integer"), field("text", "string")])]);

export interface BackupCounts {
  backups: number;
  kills: number;
  /** The number of kills before the backup had its final name. */
  killedBefore: number;
  wrong: number;
  leastRecords: number;
  mostRecords: number;
  /** Acknowledged writes per second during the backup. */
  writesPerSecond: number;
  slowestCommitMs: number;
  slowestBackupMs: number;
}

/** @throws if the restored store doesn't open, or differs from the backup */
export async function backUpUnderLoad(backups: number, kills: number, first: number): Promise<BackupCounts> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-backups-"));
  const store = join(folder, "store.db");
  const writer = startWriter(store);
  const counts: BackupCounts = {
    backups: 0,
    kills: 0,
    killedBefore: 0,
    wrong: 0,
    leastRecords: Number.POSITIVE_INFINITY,
    mostRecords: 0,
    writesPerSecond: 0,
    slowestCommitMs: 0,
    slowestBackupMs: 0,
  };
  try {
    await writer.untilWritten(first);
    const began = { at: performance.now(), written: writer.written() };
    for (let at = 0; at < backups; at += 1)
      await makeOne(store, join(folder, `backup-${at}.db`), writer, counts);
    for (let at = 0; at < kills; at += 1)
      await killOne(store, join(folder, `killed-${at}.db`), (at * killStepMs) % killMsMax, counts);
    const seconds = (performance.now() - began.at) / 1000;
    counts.writesPerSecond = Math.round((writer.written() - began.written) / seconds);
    counts.slowestCommitMs = writer.slowestMs();
    await restoreAndOpen(store, folder, counts);
    return counts;
  } finally {
    writer.child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function makeOne(
  store: string,
  to: string,
  writer: WriterProcess,
  counts: BackupCounts,
): Promise<void> {
  const acknowledged = writer.written();
  const began = performance.now();
  const { records, lastEvent } = await backUpStore(store, to);
  counts.slowestBackupMs = Math.max(counts.slowestBackupMs, Math.round(performance.now() - began));
  counts.backups += 1;
  counts.leastRecords = Math.min(counts.leastRecords, records);
  counts.mostRecords = Math.max(counts.mostRecords, records);
  if (records < acknowledged || records !== lastEvent || !isOneMoment(to, lastEvent)) counts.wrong += 1;
}

async function killOne(store: string, to: string, afterMs: number, counts: BackupCounts): Promise<void> {
  const child = inProcess(`
    import { backUpStore } from ${JSON.stringify(join(import.meta.dirname, "../../src/store/index.ts"))};
    console.log("begins");
    await backUpStore(${JSON.stringify(store)}, ${JSON.stringify(to)});
  `);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  counts.kills += 1;
  if (!existsSync(to)) counts.killedBefore += 1;
  else if (!isOneMoment(to)) counts.wrong += 1;
}

/** Whether the file has exactly the records 1 … N, each as it was stored. */
function isOneMoment(file: string, expected?: number): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare(`SELECT "number", "text" FROM "Note" ORDER BY "number"`).all();
    const [events] = database.prepare("SELECT count(*) AS count FROM ninefold_events").all();
    if (rows.length !== (expected ?? rows.length) || events?.["count"] !== rows.length) return false;
    return rows.every(({ number, text }, at) => number === at + 1 && text === textOf(at + 1));
  } finally {
    database.close();
  }
}

export function textOf(number: number): string {
  return `note ${number} ${"x".repeat(number % 200)}`;
}

async function restoreAndOpen(store: string, folder: string, counts: BackupCounts): Promise<void> {
  const backup = join(folder, "last.db");
  const { records } = await backUpStore(store, backup);
  const path = join(folder, "restored.db");
  await restoreStore(notes, backup, path);
  const restored = await openStore(notes, meaningOf(notes), { path });
  await restored.close();
  if (!isOneMoment(path, records)) counts.wrong += 1;
}

interface WriterProcess {
  readonly child: ChildProcess;
  /** The number of acknowledged writes. */
  written(): number;
  slowestMs(): number;
  untilWritten(least: number): Promise<void>;
}

function startWriter(store: string): WriterProcess {
  const child = inProcess(`
    import { openStore } from ${JSON.stringify(join(import.meta.dirname, "../../src/store/index.ts"))};
    import { meaningOf } from ${JSON.stringify(join(import.meta.dirname, "../../src/model/meaning.ts"))};
    import { notes, textOf } from ${JSON.stringify(import.meta.filename)};
    const store = await openStore(notes, meaningOf(notes), { path: ${JSON.stringify(store)} });
    const began = performance.now();
    for (let number = 1, slowest = 0; ; ) {
      const sentAt = performance.now();
      const works = Array.from({ length: ${batch} }, () => {
        const own = number++;
        return store.write(async (transaction) => {
          const record = await transaction.insert("Note", { id: "n" + own, number: own, text: textOf(own) });
          await transaction.system.appendEvents([{ id: "e" + own, type: "made", time: new Date().toISOString(), resource: "Note", row: record["#row"], subject: "n" + own, payload: "{}" }]);
        });
      });
      await Promise.all(works);
      slowest = Math.max(slowest, performance.now() - sentAt);
      process.stdout.write((number - 1) + " " + Math.round(slowest) + "\\n");
      const next = began + ((number - 1) / ${writesPerSecond}) * 1000;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
    }
  `);
  let written = 0;
  let slowest = 0;
  child.stdout?.on("data", (text) => {
    const line = String(text).trimEnd().split("\n").at(-1) ?? "";
    [written = 0, slowest = 0] = line.split(" ").map(Number);
  });
  return {
    child,
    written: () => written,
    slowestMs: () => slowest,
    async untilWritten(least) {
      while (written < least) {
        if (child.exitCode !== null) throw new Error("the writer has exited");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

function inProcess(script: string): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** The initial number of records in a long run. */
const firstWritten = 10_000;

if (import.meta.main) {
  const [backups = 5, kills = 50] = process.argv.slice(2).map(Number);
  const counts = await backUpUnderLoad(backups, kills, firstWritten);
  console.log(counts);
  process.exitCode = counts.wrong === 0 ? 0 : 1;
}
