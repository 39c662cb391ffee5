/**
 * Webhook receiver: an HTTP server of this process that records received webhooks, for test suites
 * and for `verify`.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { invariant } from "../support/invariant.ts";
import { machine } from "../support/machine.ts";

/** A received webhook. */
export interface ArrivedWebhook {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The status of the response. */
  readonly status: number;
  /** The time of its arrival, in milliseconds since 1970. */
  readonly atMs: number;
}

export interface WebhookReceiver {
  readonly port: number;
  /** Sets the statuses of the next responses, one each; then 204 again. */
  answer(...statuses: readonly number[]): void;
  close(): Promise<void>;
}

export interface WebhookReceiverOptions {
  readonly onArrived: (webhook: ArrivedWebhook) => void;
  /** By default a free port. */
  readonly port?: number;
  /** By default 127.0.0.1. */
  readonly host?: string;
}

const bodyBytesMax = 16 * 1024 * 1024;

/** @throws the system's error if the port isn't available */
export async function startWebhookReceiver({
  onArrived,
  port = 0,
  host = "127.0.0.1",
}: WebhookReceiverOptions): Promise<WebhookReceiver> {
  let statuses: number[] = [];
  const server = createServer(async (request, response) => {
    const body: AsyncIterable<Buffer> = request;
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.byteLength;
      if (bytes > bodyBytesMax) return void request.destroy();
      pieces.push(piece);
    }
    const status = statuses.shift() ?? 204;
    const { headers, method = "POST", url: path = "/" } = request;
    // Recorded before the response is sent, because the sender may check it then.
    onArrived({ method, path, headers, text: Buffer.concat(pieces).toString(), status, atMs: machine.now() });
    response.writeHead(status).end();
  });
  // A test that fails before closing this receiver must not keep its process alive.
  server.on("connection", (socket) => socket.unref());
  server.listen(port, host).unref();
  await once(server, "listening");
  const address = server.address();
  invariant(typeof address === "object" && address, "a server on TCP has an address with a port");
  return {
    port: address.port,
    answer(...next) {
      statuses = [...next];
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
