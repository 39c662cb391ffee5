/**
 * Module import: imports the author's handler module and describes its mistakes. The calling code
 * chooses the path and whether a module is needed.
 */
import type { HandlerModule } from "../handler-module.ts";
import { messageOf } from "../../support/failure.ts";
import { UnavailableError } from "../../support/ninefold-error.ts";

/** Thrown if the module cannot be used. The message is for the module's author. */
export class ModuleRefused extends UnavailableError {
  override name = "ModuleRefused";
}

/**
 * @param address the URL of the module's file
 * @param path the path for messages
 * @throws ModuleRefused
 */
export async function importHandlers(address: string, path: string): Promise<HandlerModule> {
  try {
    return namedFunctions(path, (await import(address)) as Readonly<Record<string, unknown>>);
  } catch (error) {
    if (error instanceof ModuleRefused) throw error;
    const words = messageOf(error);
    throw new ModuleRefused(`${path} could not be loaded: ${words}`);
  }
}

function namedFunctions(path: string, module: Readonly<Record<string, unknown>>): HandlerModule {
  for (const key of ["handlers", "functions"] as const) {
    const given = module[key];
    if (given === undefined) continue;
    if (typeof given !== "object" || given === null)
      throw new ModuleRefused(`${path}: \`${key}\` must be an object of functions by their names.`);
    const invalidExport = Object.entries(given).find(
      ([, entry]) => typeof entry !== "function" && !(key === "handlers" && hasPhases(entry)),
    );
    if (invalidExport)
      throw new ModuleRefused(
        `${path}: \`${key}.${invalidExport[0]}\` must be a function${key === "handlers" ? ", or an object with the functions `prepare` and `run`" : ""}.`,
      );
  }
  const own = (key: "handlers" | "functions") =>
    module[key] === undefined
      ? {}
      : { [key]: Object.assign(Object.create(null), module[key]) as Record<string, never> };
  return { ...own("handlers"), ...own("functions") };
}

function hasPhases(handler: unknown): boolean {
  return (
    typeof handler === "object" &&
    handler !== null &&
    "prepare" in handler &&
    typeof handler.prepare === "function" &&
    "run" in handler &&
    typeof handler.run === "function"
  );
}
