/**
 * Reads the body of a request under a ceiling and a clock, in one buffer that grows as it comes: what is held is never much more than what
 * was sent. What the bytes mean is read in `json-reader.ts` and `form-reader.ts`; how the connection ends after a refusal is `respond.ts`'s
 * matter.
 */
import type { IncomingMessage } from "node:http";
import type { Awaitable } from "../../support/awaitable.ts";
import type { BodyShare, BodyReservation } from "./body-bytes.ts";
import { BodyRefusal, bodyTooLarge, bodyTooLate } from "./message.ts";

export interface BodyOptions {
  readonly bytesMax: number;
  /** From the first call on, for the whole body. */
  readonly timeoutMs: number;
  /** What it counts into. */
  readonly share: BodyShare;
  /** Told of what is held for it, to be released with the answer. */
  readonly holding: (held: BodyReservation) => void;
  /** Sends `100 Continue`; asked once the body is really wanted, so that a refusal comes before the bytes. */
  readonly sendContinue?: (() => void) | undefined;
}

const noBytes = new Uint8Array(0);

/** What a body that is still to come begins with, in bytes. */
const firstBytes = 4 * 1024;

/** One that has come whole with its head, and isn't longer, is not counted: there are only so many requests under way. */
const uncountedBytes = 4 * 1024;

/** @throws BodyRefusal, or rejects with it */
export function readBody(request: IncomingMessage, options: BodyOptions): Awaitable<Uint8Array> {
  // All of it has come, and it is nothing: nobody has to look at the headers, which `node:http` takes apart when they are first asked for.
  if (request.complete && request.readableLength === 0) return noBytes;
  const declared = Number(request.headers["content-length"] ?? Number.NaN);
  if (declared === 0 || (Number.isNaN(declared) && request.headers["transfer-encoding"] === undefined))
    return noBytes;
  const coding = request.headers["content-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "identity") {
    throw new BodyRefusal({
      condition: "unsupported media type",
      status: 415,
      problem: "the Content-Encoding is not taken",
    });
  }
  if (declared > options.bytesMax) throw bodyTooLarge(options.bytesMax);
  // Most bodies have come with their heads, and nobody has to wait for them.
  if (request.complete && request.readableLength <= options.bytesMax) return readBuffered(request, options);
  options.sendContinue?.();
  return collect(request, declared, options);
}

function readBuffered(request: IncomingMessage, { bytesMax, share, holding }: BodyOptions): Uint8Array {
  if (request.readableLength > uncountedBytes) {
    let isFull = false;
    const held = share.reserve(bytesMax, () => {
      isFull = true;
    });
    holding(held);
    held.grow(request.readableLength);
    held.arrived();
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
      request.off("data", take).off("end", finish).off("error", lose).off("close", lose);
    };
    const fail = (refusal: BodyRefusal) => {
      resolveBody();
      held.release();
      // Nobody reads on: what is still to come must not fill the memory.
      request.pause();
      reject(refusal);
    };
    const held = share.reserve(bytesMax, () => fail(tooManyBytes()));
    holding(held);
    /** Doubles what is held, up to what was announced. */
    const makeRoom = (needed: number) => {
      const most = Number.isNaN(declared) ? bytesMax : declared;
      const length = Math.max(needed, Math.min(most, Math.max(firstBytes, 2 * buffer.byteLength)));
      held.grow(length);
      if (isOver) return;
      const larger = Buffer.allocUnsafeSlow(length);
      larger.set(buffer.subarray(0, size));
      buffer = larger;
    };
    const take = (chunk: Uint8Array) => {
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
      held.arrived();
      resolve(buffer.subarray(0, size));
    };
    const lose = () => {
      // Errors may follow each other on a broken connection; without a listener one would end the process.
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
    request.on("data", take).on("end", finish).on("error", lose).on("close", lose);
  });
}

function tooManyBytes(): BodyRefusal {
  return new BodyRefusal({
    condition: "unavailable",
    status: 503,
    problem: "too many bodies are under way",
    retryAfterSeconds: 1,
  });
}
