/** The functions of `cloudinary.md`: what the bytes of a file say, how a context is written, and pieces as a whole. Typed from the document by `ninefold types`. */
import { createHash } from "node:crypto";
import type { Functions } from "./cloudinary.types.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** In pixels, of the images that browsers show; undefined of anything else. */
function sizeOf(content: string): Size | undefined {
  const bytes = Buffer.from(content, "base64");
  const kind = bytes.toString("latin1", 0, 12);
  if (kind.startsWith("\x89PNG\r\n\x1a\n") && bytes.length >= 24)
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (/^GIF8[79]a/.test(kind) && bytes.length >= 10)
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  return kind.startsWith("\xff\xd8") ? sizeOfJpeg(bytes) : undefined;
}

/** A JPEG is a row of segments, each with its length; one that begins a frame has the size. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    const beginsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (beginsFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return undefined;
}

/** `alt=a \= b`: signs that mean themselves have a backslash in front. */
function pairOf(text: string): readonly [string, string] {
  const [key = "", ...value] = text.split(/(?<!\\)=/);
  const plain = (written: string) => written.replaceAll(/\\([=|])/g, "$1");
  return [plain(key), plain(value.join("="))];
}

export const functions: Functions = {
  md5: (content) => createHash("md5").update(content, "base64").digest("hex"),
  width: (content) => sizeOf(content)?.width ?? null,
  height: (content) => sizeOf(content)?.height ?? null,
  joined: (pieces) => Buffer.concat(pieces.map((piece) => Buffer.from(piece, "base64"))).toString("base64"),
  pairs: (context) => Object.fromEntries(context.split(/(?<!\\)\|/).map(pairOf)),
};
