/** The codings of bodies. */

/** Codings of a body that are decoded (RFC 9110, section 8.4.1). */
export type ContentCoding = "gzip" | "deflate" | "br" | "zstd";
