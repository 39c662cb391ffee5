/**
 * `--watch`, and SIGHUP: restarts the service whenever the document or its handlers change, and
 * keeps the previous one if the new one can't be served.
 */
import { existsSync, type FSWatcher, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { handlersPath } from "../load-handlers.ts";
import type { OperationsAddress } from "../operations/operations-address.ts";
import type { Draft } from "../../admin/draft.ts";
import { DocumentFailed } from "../open-service.ts";
import type { StoreSnapshot } from "../../store/store.ts";
import type { Terminal } from "../terminal.ts";
import type { ServeOptions } from "./options.ts";
import { type Prepared, prepare } from "./prepare.ts";
import type { ReloadSignal } from "./signals/reload-signal.ts";
import { type Running, start } from "./start.ts";
import { compareInWorker } from "../../compare/compare-in-worker.ts";
import { noticedLine } from "../comparison/comparison-text.ts";
import { messageOf } from "../../support/failure.ts";

/**
 * Debounce time: how long a file must stay unchanged before it is read, in milliseconds; editors
 * write in several steps.
 */
const settledMs = 100;
/** How long requests in progress may take while the service restarts, in milliseconds. */
const graceMs = 1000;

/** The current service, and the prepared document that it runs. */
interface Served {
  readonly prepared: Prepared;
  readonly running: Running;
}

/** The parts that outlive a restart of the service. */
interface Place {
  readonly terminal: Terminal;
  readonly endpoint: OperationsAddress | undefined;
}

/** The triggers of a restart. */
interface Occasions {
  /** The watched files, with `--watch`. */
  readonly files: WatchedFiles | undefined;
  readonly reload: ReloadSignal;
}

/**
 * Serves until it is stopped; returns what it serves then, or null. @throws CliError |
 * DocumentFailed
 */
export async function servedUntil(
  stopped: Promise<void>,
  prepared: Prepared,
  options: ServeOptions,
  { files, reload, terminal, endpoint }: Place & Occasions,
): Promise<Running | null> {
  const place: Place = { terminal, endpoint };
  let served: Served | null = null;
  let pause: NodeJS.Timeout | undefined;
  const look = (isRequested: boolean) => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      work = work.then(async () => {
        served = await restart(served, settledOptions, place, isRequested);
      });
    }, settledMs);
  };
  let settledOptions = options;
  const first = start(prepared, options, terminal, endpoint);
  let work = first.then(
    (running) => {
      served = { prepared, running };
      // The restart uses the actual port, even if any free port was requested.
      settledOptions = running.options;
    },
    () => {},
  );
  files?.onChange(() => look(false));
  reload.onRequest(() => {
    if (options.handedSocket === undefined) look(true);
    else
      terminal.printError(
        `${basename(options.file)} isn't reloaded. Restart the service; the socket waits meanwhile.\n`,
      );
  });
  try {
    await first;
    await stopped;
  } finally {
    files?.close();
    clearTimeout(pause);
  }
  await work;
  return (served as Served | null)?.running ?? null;
}

/**
 * Watches the document and its handlers' module. The folder is watched, because many editors save
 * by replacing the file, and the module may be created later.
 */
export function watchFiles(file: string, onChange: () => void): FSWatcher {
  const names = [file, handlersPath(file)].map((path) => basename(path));
  return watch(dirname(resolve(file)), (_event, name) => {
    if (name !== null && names.includes(name)) onChange();
  });
}

/**
 * A file watch that starts at once; a change before the first listener is reported to that
 * listener.
 */
export interface WatchedFiles {
  onChange(listener: () => void): void;
  close(): void;
}

/** Started before the document is read, so that a save during the read is noticed. */
export function startWatching(file: string): WatchedFiles {
  let isChanged = false;
  let announce = () => {
    isChanged = true;
  };
  // If the folder doesn't exist, reading the document reports that.
  const watcher = existsSync(dirname(resolve(file))) ? watchFiles(file, () => announce()) : undefined;
  return {
    onChange(listener) {
      announce = listener;
      if (isChanged) listener();
    },
    close: () => watcher?.close(),
  };
}

/**
 * Prints one line on whether callers notice the change; it runs after the new document is served.
 */
async function reportNoticed(
  before: Prepared,
  after: Prepared,
  file: string,
  terminal: Terminal,
): Promise<void> {
  const differences = await compareInWorker(before.model, after.model);
  const line = differences && noticedLine(differences, { file: basename(file), from: "OLD" });
  if (line !== undefined) terminal.write(`${basename(file)}: ${line}\n`);
}

async function restart(
  served: Served | null,
  options: ServeOptions,
  { terminal, endpoint }: Place,
  isRequested: boolean,
): Promise<Served | null> {
  let prepared: Prepared | undefined;
  try {
    // A document with mistakes, a module that can't be loaded, or a loss of data stops nothing: the
    // previous service goes on.
    prepared = await prepare(options, terminal);
    // A reload without changes may be for a renewed certificate, which closes no connection.
    if (isRequested && served && isSame(served.prepared, prepared)) return served;
    await served?.running.fits(prepared.model);
  } catch (error) {
    served?.running.draft.show(draftOf(error, prepared));
    announce(
      error,
      served ? `The previous ${basename(options.file)} is still served.` : waitsForChange,
      terminal,
    );
    return served;
  }
  const kept = await served?.running.stopKeeping(graceMs);
  terminal.write(`${basename(options.file)} has changed.\n\n`);
  try {
    const running = await start(prepared, options, terminal, endpoint, kept);
    if (served) await reportNoticed(served.prepared, prepared, options.file, terminal);
    return { prepared, running };
  } catch (error) {
    return served
      ? restorePrevious(served, prepared, options, error, { terminal, endpoint, kept })
      : announce(error, waitsForChange, terminal);
  }
}

function isSame(left: Prepared, right: Prepared): boolean {
  return left.text === right.text && left.handlersAddress === right.handlersAddress;
}

/** The saved document as far as it could be read, and why it isn't served. */
function draftOf(error: unknown, prepared: Prepared | undefined): Draft | null {
  const reason = messageOf(error);
  const read = error instanceof DocumentFailed ? error.read : undefined;
  const text = read?.text ?? prepared?.text;
  return text === undefined ? null : { text, diagnostics: read?.diagnostics ?? [], reason };
}

const waitsForChange = "Nothing is served until the document changes again.";

/** Restarts the previous service if the new one could not be started. */
async function restorePrevious(
  { prepared }: Served,
  next: Prepared,
  options: ServeOptions,
  why: unknown,
  { terminal, endpoint, kept }: Place & { readonly kept: StoreSnapshot | undefined },
): Promise<Served | null> {
  try {
    const running = await start(prepared, options, terminal, endpoint, kept);
    running.draft.show(draftOf(why, next));
    announce(why, `The previous ${basename(options.file)} is still served.`, terminal);
    return { prepared, running };
  } catch (error) {
    announce(why, "", terminal);
    return announce(error, waitsForChange, terminal);
  }
}

function announce(error: unknown, so: string, terminal: Terminal): null {
  terminal.printError(`${[messageOf(error), so].join("\n").trimEnd()}\n`);
  return null;
}
