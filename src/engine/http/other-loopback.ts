/**
 * Second loopback address: listens on the other loopback address at the same port. `localhost`
 * resolves to either address, and another process on the other one could impersonate this service.
 * Both addresses share one server.
 */
import type { Server as HttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";

const otherLoopbacks: Readonly<Record<string, string>> = { "127.0.0.1": "::1", "::1": "127.0.0.1" };

/** Error codes of a machine without that address. */
const missingAddressCodes = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EPROTONOSUPPORT"]);

/**
 * Returns undefined if the server does not listen on loopback, or the machine has only one loopback
 * address.
 * @param server listens on the first address
 * @throws an error with `code` `EADDRINUSE` if another process has the port
 */
export function listenOnOtherLoopback(
  server: HttpServer,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<Server | undefined> {
  const host = otherLoopbacks[address];
  if (host === undefined) return Promise.resolve(undefined);
  const loopbackServer = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) => {
    // `node:http` reports connection errors to the server in this property.
    (socket as Socket & { server?: HttpServer }).server = server;
    server.emit("connection", socket);
  });
  loopbackServer.maxConnections = server.maxConnections;
  return new Promise((resolve, reject) => {
    loopbackServer.once("error", (error: NodeJS.ErrnoException) => {
      if (missingAddressCodes.has(error.code ?? "")) resolve(undefined);
      else reject(error);
    });
    loopbackServer.listen({ port, host, backlog: 1024 }, () => resolve(loopbackServer));
  });
}
