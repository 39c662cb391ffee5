/**
 * Socket activation: a listening socket that the parent process hands over, as systemd's socket
 * units do, and all that follow `sd_listen_fds(3)`. It stays open while the service restarts, and
 * connections wait in it meanwhile: none is refused.
 */
import type { AddressInfo } from "node:net";
import { inAddress } from "../../admin/guard.ts";
import { isLoopback } from "../../engine/http/loopback.ts";
import { CliError } from "../command.ts";
import { type Terminal, warn } from "../terminal.ts";

/** The first that is handed over; the protocol has them in a row from here. */
const firstDescriptor = 3;

/** Its number, undefined where there is none. @throws CliError where there are several */
export function handedSocket(terminal: Terminal, ownPid: number): number | undefined {
  const { LISTEN_FDS: count, LISTEN_PID: pid } = terminal.environment;
  if (count === undefined || pid === undefined) return undefined;
  if (Number(pid) !== ownPid) {
    warn(
      terminal,
      `A socket was handed over to process ${pid}, and this is ${ownPid}: something stands between them. It isn't used.\n`,
    );
    return undefined;
  }
  if (count !== "1")
    throw new CliError(`${count} sockets were handed over (LISTEN_FDS). It is one: the service's own.`);
  return firstDescriptor;
}

/** What was said at the start holds for the address at which it listens: whom it answers, and what it needs for that. @throws CliError */
export function judgeHandedSocket(bound: AddressInfo | string | null, host: string): AddressInfo {
  if (bound === null || typeof bound === "string")
    throw new CliError(
      "The socket that was handed over is none of TCP. A service listens at an address and a port.",
    );
  if (isLoopback(host) && !isLoopback(bound.address))
    throw new CliError(
      `The socket that was handed over listens at ${inAddress(bound.address)}:${bound.port}, for other machines too. Say so with --host ${bound.address}.`,
    );
  return bound;
}
