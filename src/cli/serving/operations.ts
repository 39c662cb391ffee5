/** The operations address of `serve`: where it is, and its start. What is found there is `operations/address.ts`. */
import { isLoopback } from "../../engine/http/loopback.ts";
import { createHttpServer, type HttpServer } from "../../engine/http/server.ts";
import type { Log } from "../../engine/ports.ts";
import type { Operated } from "../../operations/operated.ts";
import { portMax, portNumber } from "../arguments.ts";
import { Trouble, WrongUsage } from "../command.ts";
import { createGate } from "./gate.ts";

/** It listens here alone, wherever the service does. */
const operationsHost = "127.0.0.1";

export interface OperationsFlags {
  readonly port: number;
  /** Another port will do where this one is taken: nobody has named it, and nothing is lost by asking the wrong one. */
  readonly isFlexible: boolean;
}

interface Values {
  readonly operations?: string | undefined;
  readonly "no-operations"?: boolean | undefined;
  readonly sandbox?: boolean | undefined;
}

/** Undefined where none is wanted: a service for other machines has one where it is asked for. @throws WrongUsage */
export function readOperationsFlags(values: Values, port: number, host: string): OperationsFlags | undefined {
  const { operations, sandbox = false } = values;
  if (values["no-operations"]) {
    if (operations !== undefined)
      throw new WrongUsage("--operations and --no-operations exclude one another.");
    if (sandbox)
      throw new WrongUsage("A sandbox is led at its operations address: leave out --no-operations.");
    return undefined;
  }
  if (operations !== undefined) {
    const named = portNumber("--operations", operations);
    if (named !== 0 && named === port)
      throw new WrongUsage("--operations has to be another port than --port.");
    return { port: named, isFlexible: false };
  }
  if (!isLoopback(host) && !sandbox) return undefined;
  if (port === portMax) return { port: 0, isFlexible: true };
  // A test suite that asks for the sandbox at this port must not find another one there.
  return { port: port === 0 ? 0 : port + 1, isFlexible: !sandbox };
}

export interface OperationsDoor {
  readonly http: HttpServer;
  readonly url: string;
  readonly port: number;
  /** Lets in who waits, now that there is something to operate. */
  open(operated: Operated): Promise<void>;
}

/** Takes its port. @throws Trouble */
export async function listenForOperations(
  { port, isFlexible }: OperationsFlags,
  log: Log,
): Promise<OperationsDoor> {
  let listening = 0;
  const gate = createGate();
  const http = createHttpServer(gate.fetch, {
    refuse: gate.refuse,
    onFault: (error) => log.error({ error: String(error) }, "a fault"),
  });
  const listen = async (at: number) => {
    listening = (await http.listen(at, operationsHost)).port;
  };
  try {
    await listen(port).catch((error: NodeJS.ErrnoException) => {
      if (isFlexible && error.code === "EADDRINUSE") return listen(0);
      throw error;
    });
  } catch (error) {
    throw new Trouble(
      `The operations address can't be on port ${port} (${(error as Error).message}). Take another one with --operations, or 0 for any.`,
    );
  }
  return {
    http,
    url: `http://${operationsHost}:${listening}`,
    port: listening,
    async open(operated) {
      // Schemas and checks take a while to load, and nobody waits for them who asks for the service.
      const { createOperationsAddress } = await import("../../operations/address.ts");
      gate.open(createOperationsAddress(operated, listening));
    },
  };
}
