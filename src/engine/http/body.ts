/**
 * Reads the body of a request under a ceiling and a clock. What the bytes mean is read in `json-reader.ts` and
 * `form-reader.ts`; how the connection ends after a refusal is `respond.ts`'s matter.
 */
import type { IncomingMessage } from "node:http";
import type { Awaitable } from "../../support/awaitable.ts";
import { BodyRefusal, bodyTooLarge } from "./message.ts";

export interface BodyOptions {
  readonly bytesMax: number;
  /** From the first call on, for the whole body. */
  readonly timeoutMs: number;
  /** Sends `100 Continue`; asked once the body is really wanted, so that a refusal comes before the bytes. */
  readonly sendContinue?: (() => void) | undefined;
}

const noBytes = new Uint8Array(0);

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
  options.sendContinue?.();
  // Most bodies have come with their heads, and nobody has to wait for them.
  if (request.complete && request.readableLength <= options.bytesMax) {
    const whole = request.read() as Uint8Array | null;
    return whole ?? noBytes;
  }
  return collect(request, options);
}

function collect(request: IncomingMessage, { bytesMax, timeoutMs }: BodyOptions): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;

    const settle = () => {
      clearTimeout(timer);
      request.off("data", take).off("end", finish).off("error", lose).off("close", lose);
    };
    const fail = (refusal: BodyRefusal) => {
      settle();
      // Nobody reads on: what is still to come must not fill the memory.
      request.pause();
      reject(refusal);
    };
    const take = (chunk: Uint8Array) => {
      size += chunk.byteLength;
      if (size > bytesMax) fail(bodyTooLarge(bytesMax));
      else chunks.push(chunk);
    };
    const finish = () => {
      settle();
      resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, size));
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
      fail(
        new BodyRefusal({ condition: "timed out", status: 408, problem: "the body did not arrive in time" }),
      );
    }, timeoutMs);
    request.on("data", take).on("end", finish).on("error", lose).on("close", lose);
  });
}
