/**
 * Loads the handlers' module of a document: `parcels.ts` for `parcels.md`, by the document's folder
 * and name alone. Only commands that run a service load it, and only if the document uses a handler
 * or a function; `check` never does.
 */
import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { importHandlers, ModuleRefused } from "../engine/handlers/import-module.ts";
import type { HandlerModule } from "../engine/handler-module.ts";
import type { Model } from "../model/model.ts";
import type { Position } from "../source/source.ts";
import { nearest } from "../support/nearest.ts";
import { CliError } from "./command.ts";
import { refuseOthers, cliErrorOf } from "./read-file.ts";
import type { Terminal } from "./terminal.ts";
import { codeOf } from "../support/failure.ts";

/** The path of a document's module. */
export function handlersPath(file: string): string {
  return resolve(dirname(file), `${basename(file).replace(/\.md$/i, "")}.ts`);
}

export interface LoadedHandlers {
  readonly module: HandlerModule;
  /** The URL that another thread loads the module from. */
  readonly address: string;
}

/**
 * The module; undefined if there is none or none is needed. @throws CliError when it can't be
 * loaded
 */
export async function loadHandlers(
  file: string,
  model: Model,
  terminal: Terminal,
): Promise<HandlerModule | undefined> {
  return (await loadHandlersAt(file, model, terminal))?.module;
}

/** The module with its path. @throws CliError */
export async function loadHandlersAt(
  file: string,
  model: Model,
  terminal: Terminal,
): Promise<LoadedHandlers | undefined> {
  const wanted = wantedOf(model);
  if (wanted.length === 0) return undefined;
  const path = handlersPath(file);
  const changedMs = await changedAt(path);
  if (changedMs === undefined) {
    for (const item of wanted)
      terminal.printError(
        `ninefold: ${place(file, item)} requires the ${item.kind} \`${item.name}\`, but ${basename(path)} does not exist in its folder. Requests that need it are answered 501.\n`,
      );
    return undefined;
  }
  const address = addressOf(path, changedMs);
  const module = await importModule(path, address);
  for (const item of wanted) printMissing(file, path, module, item, terminal);
  return { module, address };
}

interface Wanted {
  readonly kind: "handler" | "function";
  readonly name: string;
  readonly position: Position;
}

function wantedOf(model: Model): readonly Wanted[] {
  const handlers = new Map(
    model.endpoints
      .flatMap((endpoint) => endpoint.does)
      .flatMap((does) => (does.kind === "handler" ? [[does.name, does.position] as const] : [])),
  );
  return [
    ...[...handlers].map(([name, position]): Wanted => ({ kind: "handler", name, position })),
    ...(model.endpointsPart.functions ?? []).map(
      ({ name, position }): Wanted => ({ kind: "function", name, position }),
    ),
  ];
}

/**
 * The modification time of the file; undefined if it doesn't exist. @throws CliError if it can't be
 * a module
 */
async function changedAt(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    refuseOthers(path, found);
    return found.mtimeMs;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw cliErrorOf(path, error);
  }
}

/** The URL has the modification time, so that `--watch` loads a changed module again. */
function addressOf(path: string, changedMs: number): string {
  const address = pathToFileURL(path);
  address.searchParams.set("changed", String(Math.trunc(changedMs)));
  return address.href;
}

async function importModule(path: string, address: string): Promise<HandlerModule> {
  try {
    return await importHandlers(address, path);
  } catch (error) {
    throw error instanceof ModuleRefused ? new CliError(error.message) : error;
  }
}

function printMissing(
  file: string,
  path: string,
  module: HandlerModule,
  wanted: Wanted,
  terminal: Terminal,
): void {
  const given = (wanted.kind === "handler" ? module.handlers : module.functions) ?? {};
  if (given[wanted.name]) return;
  const near = nearest(wanted.name, Object.keys(given));
  terminal.printError(
    `ninefold: ${place(file, wanted)} requires the ${wanted.kind} \`${wanted.name}\`, but \`${wanted.kind}s\` of ${basename(path)} has no function with this name${near === undefined ? "" : ` (did you mean \`${near}\`?)`}. Requests that need it are answered 501.\n`,
  );
}

function place(file: string, { position }: Wanted): string {
  return `${basename(file)}:${position.start.line}`;
}
