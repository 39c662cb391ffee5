/**
 * From a file to a running service: reads the document, compiles it in a worker with a time limit,
 * and opens its store. Shared by the commands that run a service.
 */
import { basename, dirname, join } from "node:path";
import { compileInWorker } from "../compile-in-worker.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { formatText } from "../diagnostics/formats/text.ts";
import { type Ports, silentLog, systemClock } from "../engine/ports.ts";
import { startCheckOf } from "../engine/assembly/start-check.ts";
import { createService, type Service } from "../engine/service.ts";
import type { ServiceOptions } from "../engine/assembly/options.ts";
import { meaningOf } from "../model/meaning.ts";
import type { Model } from "../model/model.ts";
import { createSource } from "../source/source.ts";
import {
  isThere,
  openStore,
  type OwnerAddress,
  storeLabel,
  StoreMismatch,
  StoreRefused,
  unknownValue,
} from "../store/index.ts";
import type { StartCheck } from "../store/start-check.ts";
import type { Store, StoreSnapshot } from "../store/store.ts";
import { createRandomPool } from "../support/random-pool.ts";
import { CliError, CommandFailed } from "./command.ts";
import { withProgress } from "./migration/progress.ts";
import { readDocument } from "./read-document.ts";
import { type Terminal, warn } from "./terminal.ts";

/** The document can't be run, and its mistakes have been reported. */
export class DocumentFailed extends CommandFailed {
  override name = "DocumentFailed";
  /** The document as read, if it could be read. */
  readonly read: ReadDocument | undefined;
  constructor(message: string, read?: ReadDocument) {
    super(message);
    this.read = read;
  }
}

interface ReadDocument {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** The model of a document without mistakes. @throws CliError | DocumentFailed */
export async function loadModel(
  file: string,
  terminal: Terminal,
): Promise<ReadDocument & { readonly model: Model }> {
  const text = await readDocument(file);
  const { model, diagnostics } = await compileInWorker(text, { file: basename(file) });
  const errors = diagnostics.filter(
    (diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error",
  );
  if (errors.length > 0 || !model) {
    // Positions have the document's name; here the reader needs the path that was typed.
    const located = errors.map((error) => ({ ...error, file }));
    terminal.printError(
      formatText(located, createSource(file, text), { colour: terminal.errorsInColour === true }),
    );
    throw new DocumentFailed(`${file} has ${errors.length === 1 ? "1 error" : `${errors.length} errors`}.`, {
      text,
      diagnostics,
    });
  }
  return { model, text, diagnostics };
}

/**
 * The store to open: from an argument, else from the environment, else the one in the document's
 * folder.
 */
export function storePath(
  named: string | undefined,
  file: string,
  { environment }: Pick<Terminal, "environment">,
): string {
  return named ?? (environment["NINEFOLD_STORE"] || defaultStorePath(file));
}

/** The default path of the store: in the document's folder, with the document's name. */
export function defaultStorePath(file: string): string {
  return join(dirname(file), `${basename(file).replace(/\.md$/i, "")}.ninefold.db`);
}

/**
 * For commands that need stored records: opening a missing store would create it. @throws CliError
 */
export async function refuseMissingStore(path: string): Promise<void> {
  try {
    if (await isThere(path)) return;
  } catch (error) {
    throw cliErrorOfStore(error);
  }
  throw new CliError(`There is no store at ${storeLabel(path)}. Name another one with --store.`);
}

export interface StoreOptions {
  /** What to do if another process uses the store. */
  readonly hintIfInUse?: string;
  /**
   * Whether data that the document no longer describes may be deleted, after a copy of the store is
   * made.
   */
  readonly losesData?: boolean;
  /** How much of the file is memory-mapped, in bytes. */
  readonly mappedBytes?: number;
  /** Whether a file whose log is missing is opened. */
  readonly acceptsMissingLog?: boolean;
  /** The address under which this user's programs find this process. */
  readonly ownerAddress?: OwnerAddress | undefined;
  /** The initial content, in place of the existing one. */
  readonly initialContent?: StoreSnapshot;
  /** Called while this process, or another process that it waits for, changes the tables. */
  readonly onMigrating?: () => void;
}

/** @throws CliError */
export async function openModelStore(
  model: Model,
  path: string,
  terminal: Terminal,
  {
    hintIfInUse,
    losesData = false,
    mappedBytes,
    acceptsMissingLog = false,
    ownerAddress,
    initialContent,
    onMigrating = () => {},
  }: StoreOptions = {},
): Promise<Store> {
  // Warnings during a progress bar are held until the bar is removed.
  let waiting: string[] | undefined = [];
  const warnOf = (message: string) => warn(terminal, `ninefold: ${message}\n`);
  try {
    return await withProgress(terminal, (watch) =>
      openStore(model, meaningOf(model), {
        path,
        losesData,
        acceptsMissingLog,
        watch: {
          ...watch,
          onMigrating(who) {
            if (who === "another")
              warnOf(
                `another instance is changing the tables of ${storeLabel(path)}; this one waits for it.`,
              );
            onMigrating();
          },
        },
        ...(ownerAddress ? { ownerAddress } : {}),
        ...(mappedBytes === undefined ? {} : { mappedBytes }),
        ...(initialContent === undefined ? {} : { initialContent }),
        checkStart: startCheckFor(model),
        onWarning: (message) => (waiting ? void waiting.push(message) : warnOf(message)),
      }),
    );
  } catch (error) {
    throw cliErrorOfStore(error, hintIfInUse);
  } finally {
    for (const message of waiting) warnOf(message);
    waiting = undefined;
  }
}

/** The check of start records before a migration is committed. */
export function startCheckFor(model: Model): StartCheck | undefined {
  return startCheckOf(model, { clock: systemClock, log: silentLog, randomBytes: createRandomPool() });
}

/** Whether an open store would accept another model; nothing is changed. @throws CliError */
export async function isAcceptedByStore(
  store: Store,
  model: Model,
  path: string,
  losesData: boolean,
): Promise<void> {
  try {
    await store.fits(model, { path, losesData });
  } catch (error) {
    throw cliErrorOfStore(error);
  }
}

/** A store's refusal as a message that ends a command. */
export function cliErrorOfStore(error: unknown, whenInUse?: string): unknown {
  if (error instanceof StoreRefused)
    return new CliError(`${error.message} ${error.isInUse ? (whenInUse ?? error.hint) : error.hint}`);
  return error instanceof StoreMismatch
    ? new CliError(`${error.message}\n${mismatchAdvice(error)}`, { cause: error })
    : error;
}

const planShows = "`ninefold migrate … --plan` shows what that would do.";

/** The ways to resolve a mismatch between the document and the stored data. */
export function mismatchAdvice({ obstacles, paste, hint, copiesFirst }: StoreMismatch): string {
  const keeping = "restore the document's old form, or name another store with --store PATH";
  const copy = copiesFirst
    ? "makes a copy of the store first"
    : "makes no copy of a database: back it up first (pg_dump)";
  const losing = `delete it: \`ninefold serve … --accept-data-loss\` ${copy}`;
  // If something is impossible, confirming the losses would not help.
  const options = obstacles.length > 0 ? [keeping] : [keeping, losing];
  if (paste.length === 0) return [...(hint ? [hint] : []), `Else ${options.join("; or ")}.`].join("\n");
  // A suggestion for the author to review: renamed members, and members to delete.
  return [
    "To change it this way, add this to part 9 of the document:",
    "",
    ...paste.map((line) => (line === "" ? "" : `  ${line}`)),
    "",
    ...(paste.some((line) => line.includes(unknownValue))
      ? [`with its value instead of ${unknownValue}. ${planShows}`]
      : [planShows]),
    ...(hint ? [hint] : []),
    `Else ${options.at(-1)}.`,
  ].join("\n");
}

/** @throws CliError if the store can't run a query that the document needs */
export async function openService(
  model: Model,
  store: Store,
  ports: Omit<Ports, "randomBytes">,
  options: Omit<ServiceOptions, "store" | "ports">,
): Promise<Service> {
  try {
    return await createService(model, {
      ...options,
      store,
      ports: { stopwatch: () => performance.now(), ...ports, randomBytes: createRandomPool() },
    });
  } catch (error) {
    throw cliErrorOfStore(error);
  }
}
