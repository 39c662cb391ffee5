/**
 * The connections of a server, as its end needs them: those that speak HTTP, and, of a server with TLS, those that are still agreeing on
 * their keys, which `node:http` knows nothing of. What is said over them is none of its business.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface Connections {
  /** Those over which requests come. */
  readonly open: ReadonlySet<Socket>;
  /** Ends those that have no keys yet: nobody waits for an answer there. */
  endUnfinished(): void;
}

/** @param isSecure the server speaks TLS */
export function connectionsOf(server: Server, isSecure: boolean): Connections {
  const open = new Set<Socket>();
  const unfinished = new Map<string, Socket>();
  server.on(isSecure ? "secureConnection" : "connection", (socket: Socket) => {
    unfinished.delete(keyOf(socket));
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  if (isSecure)
    server.on("connection", (socket: Socket) => {
      const key = keyOf(socket);
      unfinished.set(key, socket);
      socket.once("close", () => {
        if (unfinished.get(key) === socket) unfinished.delete(key);
      });
    });
  return {
    open,
    endUnfinished() {
      for (const socket of unfinished.values()) socket.destroy();
    },
  };
}

/** A connection with keys is another object than the one that it was made of; both know the same peer. */
function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
