/** File signatures: the media type by the first bytes, for formats that have a signature. */

import { isUtf8 } from "node:buffer";

interface Signature {
  readonly type: string;
  /** The first bytes as characters, at the offset `at`. */
  readonly prefix: string;
  readonly at?: number;
}

const signatures: readonly Signature[] = [
  { type: "image/png", prefix: "\x89PNG\r\n\x1a\n" },
  { type: "image/jpeg", prefix: "\xff\xd8\xff" },
  { type: "image/gif", prefix: "GIF87a" },
  { type: "image/gif", prefix: "GIF89a" },
  { type: "image/webp", prefix: "WEBP", at: 8 },
  { type: "image/tiff", prefix: "II*\0" },
  { type: "image/tiff", prefix: "MM\0*" },
  { type: "image/avif", prefix: "ftypavif", at: 4 },
  { type: "image/heic", prefix: "ftypheic", at: 4 },
  { type: "application/pdf", prefix: "%PDF-" },
  { type: "application/zip", prefix: "PK\x03\x04" },
  { type: "application/zip", prefix: "PK\x05\x06" },
  { type: "application/gzip", prefix: "\x1f\x8b" },
  { type: "audio/mpeg", prefix: "ID3" },
  { type: "audio/ogg", prefix: "OggS" },
  { type: "audio/wav", prefix: "WAVE", at: 8 },
  { type: "video/mp4", prefix: "ftyp", at: 4 },
  { type: "video/webm", prefix: "\x1a\x45\xdf\xa3" },
  { type: "font/woff", prefix: "wOFF" },
  { type: "font/woff2", prefix: "wOF2" },
];

const known: ReadonlySet<string> = new Set(signatures.map(({ type }) => type));

/** Container formats whose bytes don't identify the contained format. */
const madeOf: readonly (readonly [type: RegExp, of: string])[] = [
  [
    /^application\/(vnd\.openxmlformats-officedocument|vnd\.oasis\.opendocument|epub\+zip|java-archive|x-zip)/,
    "application/zip",
  ],
  [/^application\/x-gzip$/, "application/gzip"],
  [/^audio\/(mp4|x-m4a)$|^video\/quicktime$/, "video/mp4"],
  [/^audio\/webm$|^video\/x-matroska$/, "video/webm"],
  [/^audio\/x-wav$/, "audio/wav"],
  [/^(video|application)\/ogg$/, "audio/ogg"],
];

const isText = /^text\/|[/+](json|xml|yaml)$|^application\/(javascript|sql|x-ndjson|jsonl)$/;

/**
 * The media type of a file: by its bytes, else as the sender states, unless the bytes contradict.
 * Undefined if they do: a text sent as an image, or bytes sent as a text. HTML and SVG are
 * recognised by their first element, because a browser would run them under any name.
 *
 * @param claimed in lower case, without parameters
 */
export function mediaTypeOfBytes(bytes: Uint8Array, claimed: string | undefined): string | undefined {
  const found = signatures.find((signature) => hasSignature(bytes, signature))?.type;
  if (found !== undefined)
    return madeOf.some(([type, of]) => of === found && type.test(claimed ?? "")) ? claimed : found;
  if (claimed !== undefined && (known.has(claimed) || madeOf.some(([type]) => type.test(claimed))))
    return undefined;
  const markup = markupOf(bytes, claimed);
  if (markup !== undefined) return markup;
  if (claimed === undefined) return "application/octet-stream";
  return isText.test(claimed) && !isUtf8Text(bytes) ? undefined : claimed;
}

/** Maximum offset of the first element that is searched for. */
const markupWithin = 4096;

const isMarkup = /^text\/(html|markdown|x-.*|vnd\..*)$|[/+]xml$/;

/** What may precede the first element: blanks, an XML declaration, comments and a document type. */
const beforeElement =
  /^\uFEFF?(?:\s+|<\?[^>]*\?>|<!--[\s\S]*?-->|<!doctype\s+svg[^>[]*(?:\[[^\]]*\][^>]*)?>)*/i;

/** The elements by which browsers recognize HTML (WHATWG, "MIME Sniffing"), without those that plain text may start with. */
const html =
  /^<(?:!doctype\s+html|html|head|body|script|iframe|style|title|h1|div|table|a|img|br|p|b|font)(?=[\s/>])/i;

/** The media type of a text that a browser would run under any name: `image/svg+xml` or `text/html`. */
function markupOf(bytes: Uint8Array, claimed: string | undefined): string | undefined {
  if (claimed !== undefined && isMarkup.test(claimed)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, markupWithin)).toString(
    "utf8",
  );
  const first = text.slice(beforeElement.exec(text)?.[0].length ?? 0);
  if (/^<(?:[a-z_][\w.-]*:)?svg(?=[\s/>])/i.test(first)) return "image/svg+xml";
  return html.test(first) ? "text/html" : undefined;
}

function hasSignature(bytes: Uint8Array, { prefix, at = 0 }: Signature): boolean {
  if (bytes.length < at + prefix.length) return false;
  for (let index = 0; index < prefix.length; index += 1)
    if (bytes[at + index] !== prefix.charCodeAt(index)) return false;
  return true;
}

function isUtf8Text(bytes: Uint8Array): boolean {
  return !bytes.includes(0) && isUtf8(bytes);
}
