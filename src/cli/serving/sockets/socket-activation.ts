/**
 * Socket activation: a listening socket from the parent process, by the protocol of systemd's
 * socket units, `sd_listen_fds(3)`. The socket stays open while the service restarts: connections
 * wait, and none is refused.
 */
import type { AddressInfo } from "node:net";
import { inAddress } from "../../../admin/guard.ts";
import { isLoopback } from "../../../engine/http/loopback.ts";
import { CliError } from "../../command.ts";
import { type Terminal, warn } from "../../terminal.ts";

/** The descriptor of the first inherited socket; the protocol numbers them from here. */
const firstDescriptor = 3;

/** The descriptor of the socket; undefined without one. @throws CliError if there are several */
export function inheritedSocket(terminal: Terminal, ownPid: number): number | undefined {
  const { LISTEN_FDS: count, LISTEN_PID: pid } = terminal.environment;
  if (count === undefined || pid === undefined) return undefined;
  if (Number(pid) !== ownPid) {
    warn(
      terminal,
      `A socket was passed to process ${pid}, and this is ${ownPid}: another process is between them. The socket isn't used.\n`,
    );
    return undefined;
  }
  if (count !== "1")
    throw new CliError(`LISTEN_FDS passes ${count} sockets, and a service takes one. Configure one socket.`);
  return firstDescriptor;
}

/**
 * Applies the rules for exposed services to the address of the socket.
 * @throws CliError
 */
export function checkInheritedSocket(bound: AddressInfo | string | null, host: string): AddressInfo {
  if (bound === null || typeof bound === "string")
    throw new CliError(
      "The socket from LISTEN_FDS is not a TCP socket. Configure one with an address and a port.",
    );
  if (isLoopback(host) && !isLoopback(bound.address))
    throw new CliError(
      `The socket from LISTEN_FDS listens at ${inAddress(bound.address)}:${bound.port}, which other machines can reach. Confirm it with --host ${bound.address}.`,
    );
  return bound;
}
