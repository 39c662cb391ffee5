/**
 * A service in the words of `fetch`: a `Request` in, a `Response` out, for routers and runtimes that speak them. What a request means is the
 * service's own business, as with sockets.
 */
import type { Awaitable } from "../../support/awaitable.ts";
import {
  bodyTooLarge,
  type HeaderLine,
  type ResponseBody,
  type ServiceHandler,
  type ServiceRequest,
  type ServiceResponse,
} from "./message.ts";

/** @param remoteAddress who asks, as whoever has taken the connection knows it */
export async function answerWeb(
  service: ServiceHandler,
  request: Request,
  remoteAddress = "127.0.0.1",
): Promise<Response> {
  const answer = await service(requestOf(request, remoteAddress));
  return responseOf(answer, request.method);
}

/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function requestOf(request: Request, remoteAddress: string): ServiceRequest {
  const { host, pathname, search } = new URL(request.url);
  const headers: HeaderLine[] = [...request.headers];
  const has = (name: string) => request.headers.has(name);
  if (!has("host")) headers.unshift(["Host", host]);
  // Of a request that was made by hand nobody has counted the body.
  if (request.body && !has("content-length") && !has("transfer-encoding"))
    headers.push(["Transfer-Encoding", "chunked"]);
  let read: Awaitable<Uint8Array> | undefined;
  return {
    method: request.method,
    target: pathname + search,
    rawHeaders: headers.flat(),
    remoteAddress,
    hasCome: request.body === null,
    signal: request.signal,
    body(bytesMax) {
      read ??= bytesOf(request.body, bytesMax);
      return read;
    },
  };
}

async function bytesOf(body: ReadableStream<Uint8Array> | null, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (bytes > bytesMax) throw bodyTooLarge(bytesMax);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function responseOf({ status, headers, body }: ServiceResponse, method: string): Response {
  const answered = new Headers();
  for (const [name, value] of headers) answered.append(name, value);
  const isBare = method === "HEAD" || bodiless.has(status);
  return new Response(isBare ? null : webBody(body), { status, headers: answered });
}

function webBody(body: ResponseBody): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  const encoder = new TextEncoder();
  const pieces = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
    async cancel() {
      await pieces.return?.();
    },
  });
}
