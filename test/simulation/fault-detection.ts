/** Runs the simulation, in a process of its own, to see whether it detects a planted fault. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type PlantedFault, withFault } from "../planted-fault.ts";
import { pathOf } from "../repository/repository.ts";

/**
 * @param stories what is played, as `simulate.ts` takes it
 * @returns how the simulation reports it: by an invariant, or by its end; undefined if it doesn't,
 * or only took too long, which shows nothing
 */
export function noticedBy(fault: PlantedFault, stories: readonly string[]): string | undefined {
  const reported = spawnSync(
    process.execPath,
    [
      "--import",
      pathOf("test/fault-loader.ts"),
      join(import.meta.dirname, "simulate.ts"),
      ...["--stop-after", "1", "--no-short", ...stories],
    ],
    { encoding: "utf8", timeout: 600_000, env: withFault(fault) },
  );
  if (reported.status === 0 || reported.status === null) return undefined;
  return (
    /^seed .*$/m.exec(reported.stdout)?.[0] ?? (reported.stderr.trim().split("\n").at(-1) || "it never ended")
  );
}
