/**
 * Graceful shutdown: closes a server so that no accepted client is turned away, first clients that
 * have connected, then those that have sent a request, then those about to. A proxy whose
 * connection was accepted sends its request, and must not repeat it elsewhere if it may have been
 * executed.
 */
import type { Server, ServerResponse } from "node:http";
import type { Server as NetServer, Socket } from "node:net";
import type { Connections } from "./connections.ts";

export interface Grace {
  /** Grace for requests in progress, in milliseconds. */
  readonly graceMs: number;
  /** Grace for their bodies. */
  readonly bodyMs: number;
  /** Grace for the first request of a connection. */
  readonly firstRequestMs: number;
  /**
   * No other process listens on these sockets: connections in the backlog are reset when they
   * close.
   */
  readonly isOwn: boolean;
  hasReceivedRequest(socket: Socket): boolean;
}

/** Interval of closing idle connections during shutdown, in milliseconds. */
const idleLookMs = 50;

/** @param listening the listening sockets of the server */
export async function closeInOrder(
  listening: readonly NetServer[],
  server: Server,
  connections: Connections,
  { graceMs, bodyMs, firstRequestMs, isOwn, hasReceivedRequest }: Grace,
): Promise<void> {
  const beganAt = performance.now();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  if (isOwn && graceMs > 0) await Promise.all(listening.map(takeWaiting));
  // A finished stream leaves an idle keep-alive connection. Node counts connections that have sent
  // nothing yet, or half a head, as busy. The first pass has accepted requests that had arrived
  // completely.
  const idle = setInterval(() => {
    const sinceMs = performance.now() - beganAt;
    for (const socket of connections.open) {
      const owed = answerOwed(socket);
      const isKept = owed
        ? sinceMs < bodyMs || owed.req.complete
        : socket.writableEnded || (sinceMs < firstRequestMs && !hasReceivedRequest(socket));
      if (!isKept) socket.destroy();
    }
    if (sinceMs >= firstRequestMs) connections.endUnfinished();
  }, idleLookMs);
  const closed = listening.map((item) => new Promise((resolve) => item.close(resolve)));
  server.closeIdleConnections();
  await Promise.all(closed);
  clearTimeout(timer);
  clearInterval(idle);
}

/** The most connections that the system holds for a socket: Node's own `backlog`. */
const backlogMax = 511;

/**
 * Accepts the backlog, counted and not timed: a process that waits for its processor loses no client. The operating system completes connections before the process accepts them,
 * and resets the rest when the socket closes. Each tick of the event loop accepts one, so a tick
 * without any means that the backlog was empty.
 */
async function takeWaiting(listening: NetServer): Promise<void> {
  let hasCome = false;
  const note = () => {
    hasCome = true;
  };
  listening.on("connection", note);
  for (let accepted = 0; accepted <= backlogMax; accepted += 1) {
    hasCome = false;
    // The first tick may start after the poll phase; two in a row include it.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    if (!hasCome) break;
  }
  listening.off("connection", note);
}

/**
 * The pending response of a connection whose request was accepted. `node:http` exposes it nowhere
 * else.
 */
function answerOwed(socket: Socket): ServerResponse | null {
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}
