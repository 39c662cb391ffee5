/**
 * Content codings (RFC 9110, section 8.4.1): decodes the body of a request. The decoded bytes obey
 * the limit of the body, and are charged to its memory share while they arrive.
 */
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { BodyRefusal, bodyTooLarge, tooManyBytes } from "./message.ts";
import type { ContentCoding } from "../../model/endpoints/content-coding.ts";

const decoders: Readonly<Record<ContentCoding, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Returns the codings of a body in the order in which they were applied; empty without codings. */
export function codingsOf(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  const codings = header.split(",").map((coding) => coding.trim().toLowerCase());
  return codings
    .filter((coding) => coding !== "" && coding !== "identity")
    .map((coding) => (coding === "x-gzip" ? "gzip" : coding));
}

export interface DecodeOptions {
  /** Maximum size of the decoded body, in bytes. */
  readonly bytesMax: number;
  /** Charges further bytes to the body. Returns false if the share has no room for them. */
  readonly reserve: (bytes: number) => boolean;
}

/**
 * Decodes a body, the last applied coding first.
 * @throws BodyRefusal if the decoded body is too large or invalid in its coding
 */
export async function decodeContent(
  encoded: Uint8Array,
  codings: readonly ContentCoding[],
  options: DecodeOptions,
): Promise<Uint8Array> {
  let bytes = encoded;
  for (const coding of codings.toReversed()) bytes = await decodeOne(bytes, coding, options);
  return bytes;
}

async function decodeOne(
  encoded: Uint8Array,
  coding: ContentCoding,
  { bytesMax, reserve }: DecodeOptions,
): Promise<Uint8Array> {
  const decoder: Transform = decoders[coding]();
  const pieces: Uint8Array[] = [];
  let size = 0;
  decoder.end(encoded);
  try {
    for await (const piece of decoder as AsyncIterable<Uint8Array>) {
      size += piece.byteLength;
      if (size > bytesMax) throw bodyTooLarge(bytesMax);
      if (!reserve(piece.byteLength)) throw tooManyBytes();
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof BodyRefusal) throw error;
    throw new BodyRefusal({ condition: "malformed body", status: 400, problem: `is not valid ${coding}` });
  }
  return Buffer.concat(pieces);
}
