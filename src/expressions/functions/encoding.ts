/**
 * Functions that encode bytes (or the UTF-8 bytes of a text) and values as text, and decode them.
 */
import { withoutPrototypes } from "../../support/bare-object.ts";
import { isExactNumber } from "../../support/exact-number.ts";
import { decodeUtf8, readJsonText } from "../../support/formats/json-reader.ts";
import type { Json } from "../../support/json.ts";
import { formatDuration } from "../time.ts";
import { type Type, types } from "../type.ts";
import { partsOf } from "../relations.ts";
import type { Vocabulary } from "../scope.ts";
import { isList, type Value } from "../value.ts";
import { timestampWriters } from "../writing/wire.ts";
import { type FunctionDefinition, type Signature, signature } from "./definition.ts";
import { boundedText } from "./text.ts";

const { string, bytes, any } = types;

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
    sentence: "Bytes or a text in base64url, without padding.",
    example: "base64url(randomBytes(24))",
    signatures: ofBytes(string, (value) => buffer(value).toString("base64url")),
  },
  {
    name: "unbase64",
    form: "function",
    deterministic: true,
    nullFor: "texts",
    sentence: "Decodes a text in base64 or base64url to bytes; null for any other text.",
    example: "string(unbase64(body.content))",
    signatures: [signature([string], bytes, ([text]) => unbase64(text))],
  },
  {
    name: "hex",
    form: "function",
    deterministic: true,
    sentence: "Bytes or a text in lower-case hexadecimal digits.",
    example: `hex(hash("sha256", request.body))`,
    signatures: ofBytes(string, (value) => buffer(value).toString("hex")),
  },
  {
    name: "urlEncode",
    form: "function",
    deterministic: true,
    sentence: "A text percent-encoded as one component of a URL.",
    example: "urlEncode(this.name)",
    signatures: [signature([string], string, ([text]) => urlEncode(text))],
  },
  {
    name: "toJson",
    form: "function",
    deterministic: true,
    sentence: "A value as JSON text, in the form of responses.",
    example: `toJson({"title": this.title})`,
    types: ([given]) =>
      given && withoutJson.has(given.kind)
        ? { argument: 0, expected: "a value; of a record, a shape" }
        : undefined,
    signatures: [
      signature([any], string, ([value], _frame, [type], words) =>
        boundedText(JSON.stringify(jsonOf(value, type ?? any, words))),
      ),
    ],
  },
  {
    name: "fromJson",
    form: "function",
    deterministic: true,
    nullFor: "all",
    sentence:
      "Parses a JSON text, or its UTF-8 bytes; null for invalid JSON, or if an integer is beyond ±(2^53−1).",
    example: "fromJson(body.metadata).plan",
    signatures: [
      signature([string], any, ([text]) => fromJson(text)),
      signature([bytes], any, ([value]) => fromJson(decodeUtf8(value) ?? "")),
    ],
  },
];

/** Values without a JSON form: records need a shape, and bytes one of the functions above. */
const withoutJson: ReadonlySet<string> = new Set(["record", "collection", "bytes"]);

/**
 * The JSON form of a value, as in responses: durations and timestamps are stored in another form.
 */
function jsonOf(value: Value, type: Type, words: Vocabulary | undefined): Value {
  if (value === null || value instanceof Uint8Array) return null;
  if (type.kind === "duration") return formatDuration(value as number);
  if (type.kind === "timestamp" && typeof value === "string") return momentOf(value, words);
  if (isList(value)) return value.map((value) => jsonOf(value, type.kind === "list" ? type.of : any, words));
  if (typeof value !== "object") return value;
  const parts = words ? partsOf(type, words) : undefined;
  const typeOf = (name: string): Type => (type.kind === "map" ? type.of : (parts?.get(name) ?? any));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, jsonOf(member, typeOf(name), words)]),
  );
}

function momentOf(timestamp: string, words: Vocabulary | undefined): Value {
  return JSON.parse(timestampWriters[words?.timestamps ?? "milliseconds"](timestamp)) as Value;
}

function fromJson(text: string): Value {
  const read = readJsonText(text);
  return read.problem === undefined && isExact(read.json) ? (withoutPrototypes(read.json) as Value) : null;
}

function isExact(json: Json): boolean {
  if (typeof json === "number") return isExactNumber(json);
  return typeof json !== "object" || json === null || Object.values(json).every(isExact);
}

/** RFC 4648, sections 4 and 5; with or without padding. */
function unbase64(text: string): Uint8Array | null {
  const digits = text.replace(/={1,2}$/, "");
  if (digits.length % 4 === 1 || !/^([\w-]*|[A-Za-z0-9+/]*)$/.test(digits)) return null;
  return new Uint8Array(Buffer.from(digits, "base64url"));
}

function ofBytes(result: Type, write: (value: Uint8Array) => Value): readonly Signature[] {
  return [
    signature([bytes], result, ([value]) => write(value)),
    signature([string], result, ([text]) => write(new TextEncoder().encode(text))),
  ];
}

function buffer(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** Like `encodeURIComponent`, and it also encodes the four reserved characters of RFC 3986. A lone surrogate becomes U+FFFD. */
function urlEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
