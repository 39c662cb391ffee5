/** Names of headers: their form (RFC 9110), and those that only the server sets. */
import type { Type } from "../../expressions/type.ts";

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

const framing: ReadonlySet<string> = new Set([
  "content-length",
  "transfer-encoding",
  "connection",
  "date",
  "keep-alive",
  "upgrade",
  "trailer",
  "te",
]);

/** Whether the header describes the message itself. */
export function isFramingHeader(name: string): boolean {
  return framing.has(name.toLowerCase());
}

/** Whether a value of the type may be a map of header names to values. */
export function mayBeHeaderMap({ kind }: Type): boolean {
  return kind === "map" || kind === "object" || kind === "any" || kind === "null";
}
