/** The options of `ninefold serve` for the operations address. */
import { isLoopback } from "../../engine/http/loopback.ts";
import { portMax, portNumber } from "../arguments.ts";
import { WrongUsage } from "../command.ts";
import { tokenOfEnvironment, tokenVariable } from "./token.ts";

export interface OperationsFlags {
  /** Its own listening address, independent of the service's. */
  readonly host: string;
  readonly port: number;
  /**
   * Whether another free port is used if this one is taken. True only if the operator requested no
   * operations address.
   */
  readonly isFlexible: boolean;
}

interface OperationsOptions {
  readonly operations?: string | undefined;
  readonly "operations-host"?: string | undefined;
  readonly "no-operations"?: boolean | undefined;
  readonly sandbox?: boolean | undefined;
}

interface Service {
  readonly port: number;
  readonly host: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const standardHost = "127.0.0.1";

/**
 * Undefined if no operations address is opened. A service on a non-loopback host needs an option
 * that requests it.
 * @throws WrongUsage
 */
export function readOperationsFlags(
  values: OperationsOptions,
  service: Service,
): OperationsFlags | undefined {
  const { operations, sandbox = false } = values;
  if (values["no-operations"]) {
    if (operations !== undefined || values["operations-host"] !== undefined)
      throw new WrongUsage("--operations and --no-operations can't be combined.");
    if (sandbox) throw new WrongUsage("A sandbox needs its operations address: remove --no-operations.");
    return undefined;
  }
  const host = hostOf(values["operations-host"], service.environment);
  if (operations !== undefined) {
    const requestedPort = portNumber("--operations", operations);
    if (requestedPort !== 0 && requestedPort === service.port)
      throw new WrongUsage("--operations must be a different port from --port.");
    return { host, port: requestedPort, isFlexible: false };
  }
  const isRequested = values["operations-host"] !== undefined || sandbox;
  if (!isLoopback(service.host) && !isRequested) return undefined;
  if (service.port === portMax) return { host, port: 0, isFlexible: true };
  // If the address was requested, clients rely on its port, such as test suites and other machines.
  // At another port they would reach another process.
  return { host, port: service.port === 0 ? 0 : service.port + 1, isFlexible: !isRequested };
}

/**
 * The host of the operations address. Its token controls the service, so a host that other machines
 * can reach requires a token that the operator has set.
 * @throws WrongUsage
 */
function hostOf(host: string | undefined, environment: Service["environment"]): string {
  if (host === undefined) return standardHost;
  if (!isLoopback(host) && tokenOfEnvironment(environment) === undefined)
    throw new WrongUsage(
      `--operations-host ${host} can be reached from other machines, and requires your own token. Set ${tokenVariable} to what \`openssl rand -base64 32\` gives.`,
    );
  return host;
}
