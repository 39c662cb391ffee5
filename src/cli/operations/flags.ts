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
   * Whether another port will do if this one is in use: the operator named none, and a request to
   * the wrong one does no harm.
   */
  readonly isFlexible: boolean;
}

interface Values {
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
 * Undefined without an operations address: a service for other machines has one only on request.
 * @throws WrongUsage
 */
export function readOperationsFlags(values: Values, service: Service): OperationsFlags | undefined {
  const { operations, sandbox = false } = values;
  if (values["no-operations"]) {
    if (operations !== undefined || values["operations-host"] !== undefined)
      throw new WrongUsage("--operations and --no-operations can't be combined.");
    if (sandbox) throw new WrongUsage("A sandbox needs its operations address: remove --no-operations.");
    return undefined;
  }
  const host = hostOf(values["operations-host"], service.environment);
  if (operations !== undefined) {
    const named = portNumber("--operations", operations);
    if (named !== 0 && named === service.port)
      throw new WrongUsage("--operations must be a different port from --port.");
    return { host, port: named, isFlexible: false };
  }
  const isRequested = values["operations-host"] !== undefined || sandbox;
  if (!isLoopback(service.host) && !isRequested) return undefined;
  if (service.port === portMax) return { host, port: 0, isFlexible: true };
  // A client that expects the address at this port must not reach another process: a test suite, or
  // another machine of the network.
  return { host, port: service.port === 0 ? 0 : service.port + 1, isFlexible: !isRequested };
}

/**
 * The token gives control of the service: for other machines the operator must have set it.
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
