/**
 * Graceful shutdown: closes a server without rejecting any client whose connection it accepted. It
 * waits for clients that have connected, that have sent a request, or that are about to send one. A
 * proxy sends its request on an accepted connection. It must not repeat the request elsewhere if
 * the server may have executed it.
 */
import type { Server, ServerResponse } from "node:http";
import type { Server as NetServer, Socket } from "node:net";
import type { Connections } from "./connections.ts";

export interface ClosingTimes {
  /** Grace for requests in progress, in milliseconds. */
  readonly graceMs: number;
  /** Grace for their bodies. */
  readonly bodyMs: number;
  /** Grace for the first request of a connection. */
  readonly firstRequestMs: number;
  /**
   * No other process listens on these sockets: the system resets connections in the backlog when
   * they close.
   */
  readonly isOwn: boolean;
  hasReceivedRequest(socket: Socket): boolean;
}

/** Interval of closing idle connections during shutdown, in milliseconds. */
const idleIntervalMs = 50;

/** @param listening the listening sockets of the server */
export async function closeInOrder(
  listening: readonly NetServer[],
  server: Server,
  connections: Connections,
  { graceMs, bodyMs, firstRequestMs, isOwn, hasReceivedRequest }: ClosingTimes,
): Promise<void> {
  const startedAt = performance.now();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  if (isOwn && graceMs > 0) await Promise.all(listening.map(acceptBacklog));
  // A finished stream leaves an idle keep-alive connection. Node treats a connection that has sent
  // nothing, or half a head, as busy. The first pass has accepted all requests that had arrived
  // completely.
  const idle = setInterval(() => {
    const sinceMs = performance.now() - startedAt;
    for (const socket of connections.open) {
      const pending = pendingResponse(socket);
      const isKept = pending
        ? sinceMs < bodyMs || pending.req.complete
        : socket.writableEnded || (sinceMs < firstRequestMs && !hasReceivedRequest(socket));
      if (!isKept) socket.destroy();
    }
    if (sinceMs >= firstRequestMs) connections.endUnfinished();
  }, idleIntervalMs);
  const closed = listening.map((item) => new Promise((resolve) => item.close(resolve)));
  server.closeIdleConnections();
  await Promise.all(closed);
  clearTimeout(timer);
  clearInterval(idle);
}

/** Maximum number of connections in a socket's backlog: Node's default for `backlog`. */
const backlogMax = 511;

/**
 * Accepts the backlog. It counts event loop ticks and measures no time, so a process that waits for
 * its processor loses no client. The operating system completes connections before the process
 * accepts them, and resets the remaining ones when the socket closes. Each tick accepts one
 * connection, so a tick without a connection means that the backlog was empty.
 */
async function acceptBacklog(listening: NetServer): Promise<void> {
  let hasCome = false;
  const note = () => {
    hasCome = true;
  };
  listening.on("connection", note);
  for (let accepted = 0; accepted <= backlogMax; accepted += 1) {
    hasCome = false;
    // The first tick may start after the poll phase; two consecutive ticks include it.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    if (!hasCome) break;
  }
  listening.off("connection", note);
}

/**
 * The pending response of a connection whose request was accepted. `node:http` exposes it only
 * here.
 */
function pendingResponse(socket: Socket): ServerResponse | null {
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}
