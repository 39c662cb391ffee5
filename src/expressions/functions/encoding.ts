/** Functions that write bytes (or the UTF-8 bytes of a text) as text. */
import { type Type, types } from "../type.ts";
import type { Value } from "../value.ts";
import type { FunctionDefinition, Signature } from "./definition.ts";

const { string, bytes } = types;

export const encodingFunctions: readonly FunctionDefinition[] = [
  {
    name: "bytes",
    form: "function",
    deterministic: true,
    sentence: "The UTF-8 bytes of a text.",
    example: `bytes("secret")`,
    signatures: ofBytes(bytes, (value) => value),
  },
  {
    name: "base64",
    form: "function",
    deterministic: true,
    sentence: "Bytes or a text in base64, with padding.",
    example: "base64(randomBytes(24))",
    signatures: ofBytes(string, (value) => buffer(value).toString("base64")),
  },
  {
    name: "base64url",
    form: "function",
    deterministic: true,
    sentence: "Bytes or a text in the base64 of addresses, without padding.",
    example: "base64url(randomBytes(24))",
    signatures: ofBytes(string, (value) => buffer(value).toString("base64url")),
  },
  {
    name: "hex",
    form: "function",
    deterministic: true,
    sentence: "Bytes or a text as small hexadecimal digits.",
    example: `hex(hash("sha256", request.body))`,
    signatures: ofBytes(string, (value) => buffer(value).toString("hex")),
  },
  {
    name: "urlEncode",
    form: "function",
    deterministic: true,
    sentence: "A text percent-encoded as one part of an address.",
    example: "urlEncode(this.name)",
    signatures: [{ parameters: [string], result: string, evaluate: ([text]) => urlEncode(text as string) }],
  },
];

function ofBytes(result: Type, write: (value: Uint8Array) => Value): readonly Signature[] {
  return [
    { parameters: [bytes], result, evaluate: ([value]) => write(value as Uint8Array) },
    { parameters: [string], result, evaluate: ([text]) => write(new TextEncoder().encode(text as string)) },
  ];
}

function buffer(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** As `encodeURIComponent`, and the four reserved signs it leaves (RFC 3986); a lone surrogate is U+FFFD. */
export function urlEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
