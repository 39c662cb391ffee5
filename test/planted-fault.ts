/**
 * Planted fault: a realistic fault as a changed text of a file. `fault-loader.ts` plants it while
 * Node loads the file.
 */
import { readFileSync } from "node:fs";
import type { PlantedPiece } from "./fault-loader.ts";
import { pathOf } from "./repository/repository.ts";

export interface PlantedFault {
  readonly name: string;
  /** The path relative to the repository's root. */
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

/**
 * The environment of a process with the fault.
 * @throws if its text doesn't occur exactly once in the file
 */
export function withFault({ name, file, from, to }: PlantedFault): NodeJS.ProcessEnv {
  const text = readFileSync(pathOf(file), "utf8");
  const start = text.indexOf(from);
  if (start < 0 || text.indexOf(from, start + 1) >= 0)
    throw new Error(`${name}: not exactly once in ${file}`);
  const fault: PlantedPiece = { file: pathOf(file), start, end: start + from.length, replacement: to };
  return { ...process.env, NINEFOLD_FAULT: JSON.stringify(fault) };
}
