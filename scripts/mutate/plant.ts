/**
 * Plants mutants in each process and thread of tests (`node --import`). Sources are loaded from the
 * folder that NINEFOLD_MUTANTS names, which has them with switches, and NINEFOLD_MUTANT is the
 * active mutant. The tree stays unchanged.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";

declare global {
  /** Called by each switch. */
  var __mutant: (number: number) => boolean;
}

const folder = process.env["NINEFOLD_MUTANTS"] ?? "";
/** File URLs, and the names of the files loaded instead. */
const switchedSources: ReadonlyMap<string, string> = new Map(
  Object.entries(JSON.parse(readFileSync(join(folder, "sources.json"), "utf8"))),
);
/** File in which processes and threads started by tests record the switches that they reached. */
const reachedFile = process.env["NINEFOLD_MUTANT_REACHED"];

export const planted = {
  /** The active mutant; 0 means none. */
  active: Number(process.env["NINEFOLD_MUTANT"] ?? 0),
  /** Switches that were reached since they were last cleared. */
  reached: new Set<number>(),
};

globalThis.__mutant = (number) => {
  if (!planted.reached.has(number)) {
    planted.reached.add(number);
    if (reachedFile !== undefined) appendFileSync(reachedFile, `${number}\n`);
  }
  return number === planted.active;
};

registerHooks({
  load(url, context, nextLoad) {
    const name = switchedSources.get(url.split("?")[0] as string);
    if (name === undefined) return nextLoad(url, context);
    return { format: "module", shortCircuit: true, source: readFileSync(join(folder, name), "utf8") };
  },
});
