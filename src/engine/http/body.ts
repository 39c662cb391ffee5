/**
 * Body reading: reads a request body with a size limit and a time-out, into one buffer that grows
 * as data arrives. Memory use stays close to the bytes received. `json-reader.ts` and
 * `form-reader.ts` parse the bytes; `respond.ts` closes the connection after a rejection.
 */
import type { IncomingMessage } from "node:http";
import type { Awaitable } from "../../support/awaitable.ts";
import type { BodyShare, BodyReservation } from "./body-bytes.ts";
import { BodyRefusal, bodyTooLarge, bodyTooLate, tooManyBytes } from "./message.ts";

export interface BodyOptions {
  readonly bytesMax: number;
  /** The time-out for the whole body, from the first call, in milliseconds. */
  readonly timeoutMs: number;
  /** The memory share to which the bytes are charged. */
  readonly share: BodyShare;
  /** Receives the reservation, which the caller releases after the response. */
  readonly holding: (held: BodyReservation) => void;
  /**
   * Sends `100 Continue`. It is called only when the body is needed, so that the server can reject
   * a request before the client sends the body.
   */
  readonly sendContinue?: (() => void) | undefined;
}

const noBytes = new Uint8Array(0);

/** Initial buffer for a body that is still arriving, in bytes. */
const firstBytes = 4 * 1024;

/**
 * A body up to this size that arrived with its head is not charged: the number of requests in
 * flight is bounded anyway.
 */
const uncountedBytes = 4 * 1024;

/**
 * Reads the body once.
 * @throws BodyRefusal, or rejects with it
 */
export function readBody(request: IncomingMessage, options: BodyOptions): Awaitable<Uint8Array> {
  // The body is empty and complete. This path avoids reading the headers, which `node:http` parses
  // on first use.
  if (request.complete && request.readableLength === 0) return noBytes;
  const declared = Number(request.headers["content-length"] ?? Number.NaN);
  if (declared === 0 || (Number.isNaN(declared) && request.headers["transfer-encoding"] === undefined))
    return noBytes;
  if (declared > options.bytesMax) throw bodyTooLarge(options.bytesMax);
  // Most bodies arrive with their heads, so no waiting is needed.
  if (request.complete && request.readableLength <= options.bytesMax) return readBuffered(request, options);
  options.sendContinue?.();
  return collect(request, declared, options);
}

function readBuffered(request: IncomingMessage, { bytesMax, share, holding }: BodyOptions): Uint8Array {
  if (request.readableLength > uncountedBytes) {
    let isFull = false;
    const reservation = share.reserve(bytesMax, () => {
      isFull = true;
    });
    holding(reservation);
    reservation.grow(request.readableLength);
    reservation.arrived();
    if (isFull) throw tooManyBytes();
  }
  return (request.read() as Uint8Array | null) ?? noBytes;
}

function collect(
  request: IncomingMessage,
  declared: number,
  { bytesMax, timeoutMs, share, holding }: BodyOptions,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let buffer: Uint8Array = noBytes;
    let size = 0;
    let isOver = false;

    const resolveBody = () => {
      isOver = true;
      clearTimeout(timer);
      request.off("data", append).off("end", finish).off("error", lose).off("close", lose);
    };
    const fail = (refusal: BodyRefusal) => {
      resolveBody();
      reservation.release();
      // The server reads no more of this body; without a pause, the rest would fill the memory.
      request.pause();
      reject(refusal);
    };
    const reservation = share.reserve(bytesMax, () => fail(tooManyBytes()));
    holding(reservation);
    /** Doubles the buffer, up to the announced length. */
    const makeRoom = (needed: number) => {
      const max = Number.isNaN(declared) ? bytesMax : declared;
      const length = Math.max(needed, Math.min(max, Math.max(firstBytes, 2 * buffer.byteLength)));
      reservation.grow(length);
      if (isOver) return;
      const larger = Buffer.allocUnsafeSlow(length);
      larger.set(buffer.subarray(0, size));
      buffer = larger;
    };
    const append = (chunk: Uint8Array) => {
      const needed = size + chunk.byteLength;
      if (needed > bytesMax) {
        fail(bodyTooLarge(bytesMax));
        return;
      }
      if (needed > buffer.byteLength) makeRoom(needed);
      if (isOver) return;
      buffer.set(chunk, size);
      size = needed;
    };
    const finish = () => {
      resolveBody();
      reservation.arrived();
      resolve(buffer.subarray(0, size));
    };
    const lose = () => {
      // A broken connection may emit several errors; an error without a listener would end the
      // process.
      request.on("error", () => {});
      fail(
        new BodyRefusal(
          { condition: "malformed request", status: 400, problem: "the body is incomplete" },
          true,
        ),
      );
    };
    const timer = setTimeout(() => {
      fail(bodyTooLate());
    }, timeoutMs);
    request.on("data", append).on("end", finish).on("error", lose).on("close", lose);
  });
}
