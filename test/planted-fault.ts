/**
 * A realistic fault: a changed text of a file. `fault-loader.ts` plants it while Node loads the
 * file.
 */
import { readFileSync } from "node:fs";
import type { PlantedPiece } from "./fault-loader.ts";
import { pathOf } from "./repository/repository.ts";

export interface PlantedFault {
  readonly name: string;
  /** Relative to the repository's root. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

/**
 * The environment of a process with the fault.
 * @throws if its text doesn't occur in the file exactly once
 */
export function withFault({ name, file, from, to }: PlantedFault): NodeJS.ProcessEnv {
  const text = readFileSync(pathOf(file), "utf8");
  const start = text.indexOf(from);
  if (start < 0 || text.indexOf(from, start + 1) >= 0)
    throw new Error(`${name}: not exactly once in ${file}`);
  const fault: PlantedPiece = { file: pathOf(file), start, end: start + from.length, replacement: to };
  return { ...process.env, NINEFOLD_FAULT: JSON.stringify(fault) };
}
