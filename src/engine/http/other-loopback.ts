/**
 * The other of the two loopback addresses, taken at the same port: `localhost` leads to either, and whoever took the one that is left would
 * be taken for this service. What connects there is handed to the one server, which does all the rest.
 */
import type { Server as HttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";

const others: Readonly<Record<string, string>> = { "127.0.0.1": "::1", "::1": "127.0.0.1" };

/** What a machine says that has no such address. */
const isNotThere = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EPROTONOSUPPORT"]);

/**
 * Undefined where it listens at no loopback address, or the machine has but one.
 * @param server that listens at the one
 * @throws an error with `code` `EADDRINUSE` where somebody else has the port there
 */
export function takeOtherLoopback(
  server: HttpServer,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<Server | undefined> {
  const host = others[address];
  if (host === undefined) return Promise.resolve(undefined);
  const other = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) => {
    // Errors of a connection are told to the server that it names.
    (socket as Socket & { server?: HttpServer }).server = server;
    server.emit("connection", socket);
  });
  other.maxConnections = server.maxConnections;
  return new Promise((resolve, reject) => {
    other.once("error", (error: NodeJS.ErrnoException) => {
      if (isNotThere.has(error.code ?? "")) resolve(undefined);
      else reject(error);
    });
    other.listen({ port, host, backlog: 1024 }, () => resolve(other));
  });
}
