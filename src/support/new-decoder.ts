/** UTF-8 decoders of response bodies. */

/**
 * Keeps a byte order mark, which is part of a text and which no JSON has. The decoder's default
 * would remove it.
 */
export function newDecoder(): InstanceType<typeof TextDecoder> {
  return new TextDecoder("utf-8", { ignoreBOM: true });
}
