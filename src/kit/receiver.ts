/**
 * Webhook receiver for tests: an address of this process that records deliveries, answers as
 * configured, and verifies signatures.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "../support/json.ts";
import { machine } from "../support/machine.ts";
import { isSigned } from "./is-signed.ts";

export interface ReceiverOptions {
  /** What webhooks are signed with, in the manner of Standard Webhooks: then `isSigned` is looked at. */
  readonly secret?: string;
}

/** A webhook that has come. */
export interface Received {
  /** `webhook-id`, which is the same for every attempt; null of one without. */
  readonly id: string | null;
  /** The `type` of its body; null of one without. */
  readonly type: string | null;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** The body; null of one that is no JSON. */
  readonly json: Json;
  /** Whether a library of Standard Webhooks would accept it: its headers, its time, its bytes. Null where no secret was given. */
  readonly isSigned: boolean | null;
  /** What it was answered. */
  readonly status: number;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** All that has come, oldest first. */
  readonly received: readonly Received[];
  /** Answers the next ones so, one each; then 204 again. */
  answer(...statuses: readonly number[]): void;
  /** The first that no call has given yet, of this type; waits for it. Rejects after so long, 5 s without more. */
  next(type?: string, timeoutMs?: number): Promise<Received>;
  close(): Promise<void>;
}

const waitMs = 5000;
const bodyBytesMax = 16 * 1024 * 1024;

export async function startReceiver({ secret }: ReceiverOptions = {}): Promise<Receiver> {
  const received: Received[] = [];
  const given = new Set<Received>();
  const waiting = new Set<() => void>();
  let statuses: number[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of request as AsyncIterable<Buffer>) {
      bytes += piece.byteLength;
      if (bytes > bodyBytesMax) return void request.destroy();
      pieces.push(piece);
    }
    const text = Buffer.concat(pieces).toString();
    const status = statuses.shift() ?? 204;
    const one = receivedOf(request.headers, text, status, secret);
    received.push(one);
    response.writeHead(status).end();
    for (const look of [...waiting]) look();
  });
  // A test that fails before it closes this must not keep its suite from ending.
  server.on("connection", (socket) => socket.unref());
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const take = (type: string | undefined): Received | undefined => {
    const found = received.find(
      (candidate) => !given.has(candidate) && (type === undefined || candidate.type === type),
    );
    if (found) given.add(found);
    return found;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    answer(...next) {
      statuses = [...next];
    },
    next: (type, timeoutMs = waitMs) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = take(type);
          if (!found) return;
          over();
          resolve(found);
        };
        const takeBack = machine.after(timeoutMs, () => {
          over();
          const come = received.map((item) => item.type ?? "one without a type").join(", ") || "nothing";
          reject(
            new Error(
              `No webhook${type === undefined ? "" : ` ${type}`} has come in ${timeoutMs} ms, but ${come}.`,
            ),
          );
        });
        const over = () => {
          takeBack();
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function receivedOf(
  headers: NodeJS.Dict<string | string[]>,
  text: string,
  status: number,
  secret: string | undefined,
): Received {
  const json = parsed(text);
  const type =
    typeof json === "object" && json !== null && !Array.isArray(json) ? (json as { type?: Json }).type : null;
  const header = (name: string) => (typeof headers[name] === "string" ? (headers[name] as string) : null);
  return {
    id: header("webhook-id"),
    type: typeof type === "string" ? type : null,
    headers,
    text,
    json,
    isSigned: secret === undefined ? null : isSigned(secret, header, text, machine.now()),
    status,
  };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
