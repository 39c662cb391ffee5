/** A fault as somebody might make it: a text of a file, written otherwise. `plant-fault.ts` plants it while node loads the file. */
import { readFileSync } from "node:fs";
import type { PlantedPiece } from "./plant-fault.ts";
import { pathOf } from "./repository/repository.ts";

export interface PlantedFault {
  readonly name: string;
  /** From the repository's root. */
  readonly file: string;
  /** Stands in it exactly once. */
  readonly from: string;
  readonly to: string;
}

/** The environment of a process that has the fault. @throws where its text doesn't stand in the file exactly once */
export function withFault({ name, file, from, to }: PlantedFault): NodeJS.ProcessEnv {
  const text = readFileSync(pathOf(file), "utf8");
  const start = text.indexOf(from);
  if (start < 0 || text.indexOf(from, start + 1) >= 0)
    throw new Error(`${name}: not exactly once in ${file}`);
  const fault: PlantedPiece = { file: pathOf(file), start, end: start + from.length, replacement: to };
  return { ...process.env, NINEFOLD_FAULT: JSON.stringify(fault) };
}
