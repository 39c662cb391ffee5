/** Fetch adapter: answers a `Request` with a `Response`, for routers and runtimes that use them. */
import type { Awaitable } from "../../support/awaitable.ts";
import {
  BodyRefusal,
  bodyTooLarge,
  bodyTooLate,
  type HeaderLine,
  type ResponseBody,
  type ServiceHandler,
  type ServiceRequest,
  type ServiceResponse,
} from "./message.ts";
import { serverLimits } from "./server.ts";

/**
 * @param remoteAddress the client's address, from the server that accepted the connection
 * @param bodyTimeoutMs the time-out for the whole body
 */
export async function fetchFromService(
  service: ServiceHandler,
  request: Request,
  remoteAddress = "127.0.0.1",
  bodyTimeoutMs = serverLimits.bodyTimeoutMs,
): Promise<Response> {
  const answer = await service(requestOf(request, remoteAddress, bodyTimeoutMs));
  return responseOf(answer, request.method);
}

/** Statuses without a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function requestOf(request: Request, remoteAddress: string, bodyTimeoutMs: number): ServiceRequest {
  const { host, pathname, search } = new URL(request.url);
  const headers: HeaderLine[] = [...request.headers];
  const has = (name: string) => request.headers.has(name);
  if (!has("host")) headers.unshift(["Host", host]);
  // A `Request` created in code has no `Content-Length`.
  if (request.body && !has("content-length") && !has("transfer-encoding"))
    headers.push(["Transfer-Encoding", "chunked"]);
  let read: Awaitable<Uint8Array> | undefined;
  return {
    method: request.method,
    target: pathname + search,
    rawHeaders: headers.flat(),
    remoteAddress,
    isBodyComplete: request.body === null,
    signal: request.signal,
    body(bytesMax) {
      read ??= bytesOf(request, bytesMax, bodyTimeoutMs);
      return read;
    },
  };
}

/**
 * @throws BodyRefusal also if the body is aborted, never ends, or was already read: `fetch`
 * resolves even then
 */
async function bytesOf(
  { body, bodyUsed, signal }: Request,
  bytesMax: number,
  timeoutMs: number,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array(0);
  if (bodyUsed || body.locked) throw incomplete("the body was read already");
  const reader = body.getReader();
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(bodyTooLate()), timeoutMs);
  const onAbort = () => over.reject(incomplete());
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const pieces: Uint8Array[] = [];
    for (let bytes = 0; ; ) {
      const { value, done } = await Promise.race([reader.read(), over.promise]);
      if (done) return Buffer.concat(pieces);
      bytes += value.byteLength;
      if (bytes > bytesMax) throw bodyTooLarge(bytesMax);
      pieces.push(value);
    }
  } catch (error) {
    // Cancels the source and ignores its errors.
    reader.cancel(error).catch(() => {});
    throw error instanceof BodyRefusal ? error : incomplete();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

function incomplete(problem = "the body is incomplete"): BodyRefusal {
  return new BodyRefusal({ condition: "malformed request", status: 400, problem });
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
