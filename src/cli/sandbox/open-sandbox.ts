/**
 * Opens a document as a sandbox for `ninefold serve --sandbox`: its data spaces, and their initial
 * records.
 */
import type { GivenStep } from "../../engine/given.ts";
import { type Log, systemClock } from "../../engine/ports.ts";
import { givenStepsOf } from "../../admin/api/records/given.ts";
import { SandboxRefusal } from "../../engine/sandbox/refusal.ts";
import { Spaces } from "../../engine/sandbox/spaces.ts";
import { OperationRefusal } from "../../admin/api/routing/refusal.ts";
import type { ServiceOptions } from "../../engine/assembly/options.ts";
import type { Model } from "../../model/model.ts";
import { StoreMismatch, StoreRefused } from "../../store/index.ts";
import { createRandomPool } from "../../support/random-pool.ts";
import { CliError, WrongUsage } from "../command.ts";
import { DocumentFailed } from "../open-service.ts";
import type { Terminal } from "../terminal.ts";
import { passwordQueue } from "../serving/password-threads.ts";
import type { SandboxFlags } from "./flags.ts";
import { fileOfSpace } from "./space-file.ts";

/** @throws CliError | DocumentFailed */
export async function openSandbox(
  model: Model,
  seed: readonly GivenStep[],
  options: { readonly store: string; readonly sandbox: SandboxFlags },
  service: Omit<ServiceOptions, "store" | "ports">,
  log: Log,
  terminal: Terminal,
): Promise<Spaces> {
  const { spaceHeader, spacesMax, signsInSandboxTime } = options.sandbox;
  try {
    return await Spaces.open({
      model,
      seed,
      service,
      spaceHeader,
      spacesMax,
      signsInSandboxTime,
      storePath: (space) => fileOfSpace(options.store, space),
      ports: {
        clock: systemClock,
        stopwatch: () => performance.now(),
        log,
        randomBytes: createRandomPool(),
        passwords: passwordQueue(terminal),
      },
    });
  } catch (error) {
    if (error instanceof StoreRefused) throw new CliError(`${error.message} ${error.hint}`);
    if (error instanceof StoreMismatch) throw new CliError(error.message);
    // The default data space, which starts with the seed, was rejected.
    if (error instanceof SandboxRefusal) throw new DocumentFailed(error.message);
    throw error;
  }
}

/**
 * The `Given` items of a scenario, as the initial records of each data space. @throws WrongUsage
 */
export function scenarioSeed(model: Model, scenario: string): readonly GivenStep[] {
  try {
    return givenStepsOf(model, scenario);
  } catch (error) {
    if (error instanceof OperationRefusal) throw new WrongUsage(error.message);
    throw error;
  }
}
