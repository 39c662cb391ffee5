/**
 * Strict JSON reader for request bodies: RFC 8259 with the requirements of I-JSON (RFC 7493).
 * `fields/reader.ts` interprets the values.
 *
 * `JSON.parse` accepts duplicate names (the last wins), any depth, lone surrogates and U+0000, and
 * reads `1e400` as infinity. A quick scan proves for nearly every body that none of these occurs:
 * it counts the members, and the parsed tree must have as many. If a doubt remains,
 * `strict-json.ts` reads the text character by character and reports what is wrong and where.
 *
 * A leading byte order mark is skipped. Integers beyond ±(2^53−1) are accepted here; the type of
 * the field judges them. The objects are ordinary ones with `__proto__` as an own key: test with
 * `Object.hasOwn`.
 */
import { isAscii } from "node:buffer";
import type { Json } from "../json.ts";
import { findJsonProblem, type JsonLimits } from "./strict-json.ts";

/** Engine defaults: enough for any hand-written body, and too little for an attack. */
export const jsonLimits: JsonLimits = { depthMax: 32, valuesMax: 10_000 };

/** `problem` completes "The body is not valid JSON: …". */
export type JsonRead = { readonly json: Json; readonly problem?: undefined } | { readonly problem: string };

export function readJson(bytes: Uint8Array, limits: JsonLimits = jsonLimits): JsonRead {
  const text = decodeUtf8(bytes);
  return text === undefined ? { problem: "it is not UTF-8" } : readJsonText(text, limits);
}

export function readJsonText(text: string, limits: JsonLimits = jsonLimits): JsonRead {
  const members = countMembersOfText(text, limits);
  if (members === doubtful) return readDoubtful(text, limits);
  let json: Json;
  try {
    json = JSON.parse(text);
  } catch {
    return readDoubtful(text, limits);
  }
  // An object with a duplicate name has fewer members than the text has colons.
  return countMembers(json) === members ? { json } : readDoubtful(text, limits);
}

function readDoubtful(text: string, limits: JsonLimits): JsonRead {
  const problem = findJsonProblem(text, limits);
  return problem === undefined ? { json: JSON.parse(text) } : { problem };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text without its byte order mark; undefined if it isn't UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

const doubtful = -1;

/** The maximum length of a number that can't overflow by its digits: the largest double has 309. */
const plainNumberLengthMax = 300;

const quote = 0x22;
const backslash = 0x5c;

/**
 * Counts the object members of a text by its colons, or returns `doubtful` if a full scan is
 * needed. The count is meaningless for texts that are not JSON, which `JSON.parse` rejects.
 */
function countMembersOfText(text: string, limits: JsonLimits): number {
  let members = 0;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfPlainString(text, at);
        if (at === doubtful) return doubtful;
        break;
      case 0x3a: // :
        members += 1;
        break;
      case 0x2c: // ,
        values += 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values += 1;
        depth += 1;
        if (depth > limits.depthMax) return doubtful;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2d: // -
      case 0x30:
      case 0x31:
      case 0x32:
      case 0x33:
      case 0x34:
      case 0x35:
      case 0x36:
      case 0x37:
      case 0x38:
      case 0x39:
        at = endOfPlainNumber(text, at);
        if (at === doubtful) return doubtful;
        break;
    }
  }
  return values > limits.valuesMax ? doubtful : members;
}

/** Index of the closing quote; `doubtful` if there is none or an escape `\u` occurs. */
function endOfPlainString(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) {
      at += 1;
      if (text.charCodeAt(at) === 0x75) return doubtful;
    }
  }
  return doubtful;
}

/** The index of a number's last character; `doubtful` if it has an exponent or is very long. */
function endOfPlainNumber(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x65 || code === 0x45) return doubtful;
    if ((code < 0x30 || code > 0x39) && code !== 0x2e) break;
  }
  return at - start > plainNumberLengthMax ? doubtful : at - 1;
}

/** The number of members of all objects in a tree. The scan before bounds its depth. */
function countMembers(json: Json): number {
  if (typeof json !== "object" || json === null) return 0;
  let members = 0;
  if (Array.isArray(json)) {
    for (const item of json) if (typeof item === "object") members += countMembers(item);
    return members;
  }
  const object = json as { readonly [key: string]: Json };
  for (const key in object) {
    members += 1;
    const value = object[key];
    if (typeof value === "object") members += countMembers(value);
  }
  return members;
}
