/**
 * The operations address of `serve`, from opening its port to closing it. It outlives a service
 * that restarts (`--watch`): requests wait meanwhile. `admin/handler.ts` has its endpoints.
 */
import { resolve } from "node:path";
import { createHttpServer } from "../../engine/http/server.ts";
import type { Log } from "../../engine/ports.ts";
import { createHealth } from "../../admin/health.ts";
import { inAddress, type AdminEndpoint } from "../../admin/guard.ts";
import type { AdminContext } from "../../admin/context.ts";
import { CliError } from "../command.ts";
import { createGate } from "../serving/gate.ts";
import { privilegedPort } from "../serving/sockets/privileged-port.ts";
import type { OperationsFlags } from "./flags.ts";
import { recordRunning } from "./registry.ts";
import { type OperationsToken, operationsToken } from "./token.ts";
import { codeOf, messageOf } from "../../support/failure.ts";

export interface OperationsAddress extends OperationsToken {
  readonly url: string;
  /** A link that opens the console with all rights. */
  readonly link: string;
  /** Answers the waiting requests now that the service is started. */
  open(operated: AdminContext): Promise<void>;
  /** Reports that the store's tables are being migrated, before the service starts. */
  migrating(): void;
  /** The service accepts no new work: further requests get an error with that reason. */
  drain(): void;
  /** From now on requests wait for the next service. */
  shut(): void;
  close(graceMs: number): Promise<void>;
}

/** Opens its port. @throws CliError */
export async function listenForOperations(
  { host, port, isFlexible }: OperationsFlags,
  kept: OperationsToken,
  log: Log,
): Promise<OperationsAddress> {
  const gate = createGate();
  const health = createHealth(() => place);
  const http = createHttpServer((request) => health.answer(request) ?? gate.fetch(request), {
    refuse: gate.refuse,
    onFault: (error) => log.error({ error: String(error) }, "a fault"),
  });
  const listen = async (at: number) => (await http.listen(at, host)).port;
  let listening: number;
  try {
    listening = await listen(port).catch((error: NodeJS.ErrnoException) => {
      // A port below 1024 was derived from the service's own port, whose error is reported later.
      if (isFlexible && (error.code === "EADDRINUSE" || error.code === "EACCES")) return listen(0);
      throw error;
    });
  } catch (error) {
    throw new CliError(
      codeOf(error) === "EACCES"
        ? privilegedPort(port, "--operations")
        : `The operations address can't be on port ${port} of ${host} (${messageOf(error)}). Choose another with --operations, or 0 for any free port.`,
    );
  }
  const place: AdminEndpoint = { host, port: listening, token: kept.token };
  const url = `http://${inAddress(host)}:${listening}`;
  return {
    ...kept,
    url,
    link: `${url}/#t=${kept.token}`,
    async open(operated) {
      // Loading schemas and checks takes a while; requests to the service don't wait for that.
      const { createAdminHandler } = await import("../../admin/handler.ts");
      gate.open(createAdminHandler(operated, place));
      health.become(operated);
    },
    migrating: () => health.become("migrating"),
    drain: () => health.become("draining"),
    shut: () => gate.shut(),
    close: (graceMs) => http.close(graceMs),
  };
}

interface AddressOptions {
  readonly operations: OperationsFlags | undefined;
  readonly file: string;
  readonly store: string;
}

/**
 * Opens the operations address if it is requested, and records its token for this user's programs.
 * @throws CliError | WrongUsage
 */
export async function openOperationsAddress(
  { operations, file, store }: AddressOptions,
  environment: Readonly<Record<string, string | undefined>>,
  log: Log,
): Promise<OperationsAddress | undefined> {
  if (!operations) return undefined;
  const kept = await operationsToken(environment, store);
  const endpoint = await listenForOperations(operations, kept, log);
  const { url, token } = endpoint;
  const running = { url, token, pid: process.pid, document: resolve(file), store };
  const takeBack = await recordRunning(Number(new URL(url).port), running, environment);
  if (!takeBack)
    log.warn({}, "programs can't find the operations address: its folder is open to other users");
  return {
    ...endpoint,
    async close(graceMs) {
      await takeBack?.();
      await endpoint.close(graceMs);
    },
  };
}
