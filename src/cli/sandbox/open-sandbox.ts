/** A document as a sandbox for `ninefold serve --sandbox`: its data spaces, and the operations API on a port of its own, on loopback. */
import type { AddressInfo } from "node:net";
import type { GivenStep } from "../../engine/given.ts";
import { createHttpServer, type HttpServer } from "../../engine/http/server.ts";
import type { Log } from "../../engine/ports.ts";
import { systemClock } from "../../engine/ports.ts";
import { createOperations } from "../../engine/sandbox/operations.ts";
import { beginningOf } from "../../engine/sandbox/operations/give.ts";
import { SandboxRefusal } from "../../engine/sandbox/refusal.ts";
import { createSpaces, type Spaces } from "../../engine/sandbox/spaces.ts";
import type { ServiceOptions } from "../../engine/service.ts";
import type { Model } from "../../model/model.ts";
import { StoreMismatch, StoreRefused } from "../../store/index.ts";
import { createRandomPool } from "../../support/random-pool.ts";
import { Trouble, WrongUsage } from "../command.ts";
import { DocumentFailed } from "../open-service.ts";
import { readSeed } from "../seed.ts";
import type { Terminal } from "../terminal.ts";
import type { SandboxFlags } from "./flags.ts";
import { fileOfSpace } from "./space-file.ts";

/** The operations API listens here alone, wherever the service does. */
const operationsHost = "127.0.0.1";

/** @throws Trouble | DocumentFailed | WrongUsage */
export async function openSandbox(
  model: Model,
  options: { readonly store: string; readonly seed: string | undefined; readonly sandbox: SandboxFlags },
  service: Omit<ServiceOptions, "store" | "ports">,
  log: Log,
  terminal: Terminal,
): Promise<{ readonly spaces: Spaces; readonly seed: readonly GivenStep[] }> {
  const { spaceHeader, spacesMax, scenario } = options.sandbox;
  const seed = await seedOf(model, options.seed, scenario, terminal);
  try {
    const spaces = await createSpaces({
      model,
      seed,
      service,
      spaceHeader,
      spacesMax,
      storePath: (space) => fileOfSpace(options.store, space),
      ports: { clock: systemClock, log, randomBytes: createRandomPool() },
    });
    return { spaces, seed };
  } catch (error) {
    if (error instanceof StoreRefused) throw new Trouble(`${error.message} ${error.hint}`);
    if (error instanceof StoreMismatch) throw new Trouble(error.message);
    // Of the default data space, which begins with the seed.
    if (error instanceof SandboxRefusal) throw new DocumentFailed(error.message);
    throw error;
  }
}

async function seedOf(
  model: Model,
  file: string | undefined,
  scenario: string | undefined,
  terminal: Terminal,
): Promise<readonly GivenStep[]> {
  if (file !== undefined) return readSeed(model, file, terminal);
  if (scenario === undefined) return [];
  try {
    return beginningOf(model, scenario);
  } catch (error) {
    if (error instanceof SandboxRefusal) throw new WrongUsage(error.message);
    throw error;
  }
}

/** Starts the operations API, and gives its address. @throws Trouble */
export async function listenForOperations(
  spaces: Spaces,
  port: number,
  log: Log,
): Promise<{ readonly http: HttpServer; readonly url: string }> {
  const operations = createOperations(spaces);
  const http = createHttpServer((request) => operations.fetch(request), {
    refuse: (refusal) => operations.refuse(refusal),
    onFault: (error) => log.error({ error: String(error) }, "a fault"),
  });
  let address: AddressInfo;
  try {
    address = await http.listen(port, operationsHost);
  } catch (error) {
    throw new Trouble(
      `The operations API can't listen on port ${port} (${(error as Error).message}). Take another one with --operations-port, or 0 for any.`,
    );
  }
  return { http, url: `http://${operationsHost}:${address.port}` };
}
