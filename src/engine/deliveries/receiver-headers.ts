/**
 * Webhook headers whose names are data (`- Headers: hook.headers`): the client that registers a
 * receiver chooses them.
 */
import type { Value } from "../../expressions/value.ts";
import { isHeaderName } from "../../model/endpoints/header-names.ts";
import { headerText } from "../evaluation/evaluate-header.ts";
import { senderLimits } from "./limits.ts";

/** Headers of the connection, the body and the signature: a receiver can't set them. */
const ownNames =
  /^(?:host|content-(?:type|length|encoding)|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|webhook-(?:id|timestamp|signature))$/i;

/**
 * Adds the headers of a map to those of a request. A null value removes its header.
 *
 * @returns why the request can't be sent, without any value, because values may be secrets;
 * undefined if it can be sent
 */
export function addGivenHeaders(headers: Record<string, string>, given: Value): string | undefined {
  if (given === null) return undefined;
  if (typeof given !== "object" || Array.isArray(given)) return "its headers are not a map";
  const entries = Object.entries(given);
  const { givenHeadersMax: max } = senderLimits;
  if (entries.length > max) return `it has ${entries.length} additional headers; the limit is ${max}`;
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  for (const [name, value] of entries) {
    if (value === null) continue;
    const quoted = JSON.stringify(name.slice(0, 100));
    if (!isHeaderName(name)) return `${quoted} can't be the name of a header`;
    if (ownNames.test(name)) return `the header ${quoted} is reserved for the delivery itself`;
    if (names.has(name.toLowerCase())) return `the header ${quoted} would be sent twice`;
    const text = headerText(value);
    if (!isHeaderText(text)) return `the header ${quoted} has characters that headers can't contain`;
    names.add(name.toLowerCase());
    headers[name] = text;
  }
  return undefined;
}

/**
 * Whether a text is a valid header value. Node would reject an invalid value, too, and state it in
 * the error, but it may be a secret.
 */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
