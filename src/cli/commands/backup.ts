/** `ninefold backup`: copies a store while it is served, once or repeatedly. */
import { statSync } from "node:fs";
import { backUpStore, backUpStoreTo, type BackupResult } from "../../store/index.ts";
import { counted } from "../../support/quantity.ts";
import { duration, readArguments, wholeNumber } from "../arguments.ts";
import { type Command, exitCodes, CliError, WrongArguments, WrongUsage } from "../command.ts";
import { storePath, cliErrorOfStore } from "../open-service.ts";
import { createProgress } from "../progress.ts";
import { listenForStop } from "../serving/signals/stop-signal.ts";
import type { Terminal } from "../terminal.ts";

const usage = `Usage: ninefold backup FILE TO [--store PATH] [--thorough] [--json]
       ninefold backup FILE FOLDER [--every 1h] [--keep 24] [--store PATH] [--thorough] [--json]
       ninefold backup --store PATH TO …

Copies a document's store as it is at one moment, whether it is served or not, and checks the copy
before it gets its name. In a folder each backup is compressed (NAME-TIME.db.zst) and described by
NAME-TIME.json. \`ninefold restore\` accepts both kinds.

  --store PATH  the store's file; without it: the file in the document's folder, with its name
  --every TIME  makes a backup at this interval until it is stopped: 30m, 1h, "1 day"
  --keep N      the number of backups in the folder; older ones are deleted (default: all)
  --thorough    compares each index with its records too, which takes ten times as long
  --json        JSON instead of text

Exit codes: 0 made · 2 wrong usage · 3 the store can't be read, or the backup can't be written

Example: ninefold backup examples/parcel-desk.md backups/ --every 1h --keep 24
`;

export const backupCommand: Command = {
  name: "backup",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        store: { type: "string" },
        every: { type: "string" },
        keep: { type: "string" },
        thorough: { type: "boolean" },
        json: { type: "boolean" },
      },
      positionals: ["FILE", "[TO]"],
    });
    const [first = "", second] = positionals;
    if (second === undefined && values.store === undefined)
      throw new WrongArguments("TO is missing: the file or folder to write the backup to.");
    const keep = values.keep === undefined ? undefined : wholeNumber("--keep", values.keep);
    if (keep === 0) throw new WrongUsage("--keep takes 1 or more: the newest always stays.");
    const job: Job = {
      store: storePath(values.store, first, terminal),
      to: second ?? first,
      keep,
      checksIndexes: values.thorough ?? false,
      json: values.json ?? false,
    };
    if (values.every !== undefined) return again(job, duration("--every", values.every), terminal);
    return once(job, terminal);
  },
};

interface Job {
  readonly store: string;
  readonly to: string;
  readonly keep: number | undefined;
  readonly checksIndexes: boolean;
  readonly json: boolean;
}

async function once(job: Job, terminal: Terminal): Promise<number> {
  const isFolder = job.keep !== undefined || job.to.endsWith("/") || statSync(job.to, none)?.isDirectory();
  if (isFolder) {
    await intoFolder(job, terminal);
    return exitCodes.ok;
  }
  const began = performance.now();
  const made = await reported(terminal, (onPages) =>
    backUpStore(job.store, job.to, { checksIndexes: job.checksIndexes, onPages }),
  );
  printCopied(terminal, job, job.to, made, performance.now() - began, []);
  return exitCodes.ok;
}

const none = { throwIfNoEntry: false } as const;

async function intoFolder(job: Job, terminal: Terminal): Promise<void> {
  const began = performance.now();
  const { file, removed, ...made } = await reported(terminal, (onPages) =>
    backUpStoreTo(job.store, job.to, {
      at: new Date(),
      checksIndexes: job.checksIndexes,
      onPages,
      ...(job.keep === undefined ? {} : { keep: job.keep }),
    }),
  );
  printCopied(terminal, job, file, made, performance.now() - began, removed);
}

/** Reports a backup that fails, and makes the next one on schedule. */
async function again(job: Job, everyMs: number, terminal: Terminal): Promise<number> {
  const stop = listenForStop();
  let isStopped = false;
  void stop.requested.then(() => {
    isStopped = true;
  });
  try {
    for (let next = Date.now(); !isStopped; ) {
      await intoFolder(job, terminal).catch((error: unknown) => {
        if (!(error instanceof CliError)) throw error;
        terminal.printError(`${new Date().toISOString()} ninefold backup: ${error.message}\n`);
      });
      next = Math.max(next + everyMs, Date.now());
      await waitUntil(next, stop.requested);
    }
  } finally {
    stop.forget();
  }
  return exitCodes.ok;
}

async function waitUntil(time: number, stop: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  // A timer counts at most 24 days; with a longer interval the backup is made early.
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(time - Date.now(), 2 ** 31 - 1));
  });
  await Promise.race([waited, stop]);
  clearTimeout(timer);
}

/** Shows progress on a terminal. @throws CliError */
async function reported<T>(
  terminal: Terminal,
  work: (onPages: (done: number, all: number) => void) => Promise<T>,
): Promise<T> {
  const progress = createProgress(terminal, "Copying");
  try {
    return await work(progress.update);
  } catch (error) {
    throw cliErrorOfStore(error);
  } finally {
    progress.end();
  }
}

function printCopied(
  terminal: Terminal,
  job: Job,
  file: string,
  { document, records, lastEvent, bytes }: BackupResult,
  ms: number,
  removed: readonly string[],
): void {
  if (job.json) {
    const answer = { file, document, records, last_event: lastEvent, bytes, ms: Math.round(ms), removed };
    terminal.write(`${JSON.stringify(answer)}\n`);
    return;
  }
  const removedText = removed.length === 0 ? "" : ` Removed: ${removed.join(", ")}.`;
  terminal.write(
    `${file} is a copy of ${job.store}: ${counted(records, "record")}, up to event ${lastEvent}, ${megabytes(bytes)}, verified in ${(ms / 1000).toFixed(1)} s.${removedText}\n`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
