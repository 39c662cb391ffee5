/**
 * Connection tracking for shutdown: connections that carry HTTP and, with TLS, those in their
 * handshake, which `node:http` does not list.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface Connections {
  /** Connections that can carry requests. */
  readonly open: ReadonlySet<Socket>;
  /** Closes connections in their handshake: no client waits for a response there. */
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

/** The TLS socket and its raw socket are different objects with the same peer. */
function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
