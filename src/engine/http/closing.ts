/**
 * The end of a server, in an order in which nobody who was taken in is turned away: first whoever has connected already, then whoever has
 * asked, then whoever is about to. A proxy that is told "taken" sends its request, and must not send it again where it might have been done.
 */
import type { Server, ServerResponse } from "node:http";
import type { Server as NetServer, Socket } from "node:net";
import type { Connections } from "./connections.ts";

export interface Grace {
  /** For requests under way, in milliseconds. */
  readonly graceMs: number;
  /** For their bodies to arrive. */
  readonly bodyMs: number;
  /** For the first request of a connection to come. */
  readonly firstRequestMs: number;
  /** The sockets that listen are this process's alone: who waits in them is turned away when they are closed. */
  readonly isOwn: boolean;
  hasReceivedRequest(socket: Socket): boolean;
}

/** How often a server that closes looks for connections that have become idle, in milliseconds. */
const idleLookMs = 50;

/** @param listening the sockets that take connections, all of them for the one server */
export async function closeInOrder(
  listening: readonly NetServer[],
  server: Server,
  connections: Connections,
  { graceMs, bodyMs, firstRequestMs, isOwn, hasReceivedRequest }: Grace,
): Promise<void> {
  const beganAt = performance.now();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  if (isOwn && graceMs > 0) await Promise.all(listening.map(takeWaiting));
  // A stream has promised to keep its connection, and leaves an idle one behind when it ends. Node counts those as busy that have sent
  // nothing yet, or half a head. What had arrived whole has been taken by the first look.
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
  const closed = listening.map((one) => new Promise((resolve) => one.close(resolve)));
  server.closeIdleConnections();
  await Promise.all(closed);
  clearTimeout(timer);
  clearInterval(idle);
}

/** How long a listening socket is waited for to have nobody in line, where connections come all the time, in milliseconds. */
const lineMs = 200;

/**
 * The system takes connections before anybody asks for them, and resets those that nobody has asked for when the socket is closed. One
 * is handed over in each turn of the loop: after a turn without any there was none left a moment ago.
 */
async function takeWaiting(listening: NetServer): Promise<void> {
  let hasCome = false;
  const note = () => {
    hasCome = true;
  };
  listening.on("connection", note);
  for (const until = performance.now() + lineMs; performance.now() < until; ) {
    hasCome = false;
    // The first may begin behind the sockets' turn; two in a row have had it between them.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    if (!hasCome) break;
  }
  listening.off("connection", note);
}

/** The answer that a connection is owed: its request was taken. `node:http` tells it nowhere else. */
function answerOwed(socket: Socket): ServerResponse | null {
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}
