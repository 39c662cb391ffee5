/**
 * Request bounds: the sizes and times of an endpoint's requests. The document states them, engine
 * defaults apply otherwise, and the operator's ceilings limit both.
 */
import { closestRow } from "../../model/limits/applies.ts";
import type { Endpoint, LimitsPart } from "../../model/model.ts";
import { engineDefaults, operatorCeilings } from "../defaults.ts";

export interface RequestBounds {
  readonly bodyBytesMax: number;
  readonly timeoutMs: number;
}

/**
 * The bytes that a request may have before its body: the longest target and the largest headers
 * together, as the socket counts them.
 */
export function headBytesOf(limits: LimitsPart): number {
  const url = limits.urlBytes ?? engineDefaults.urlBytesMax;
  const headers = limits.headerBytes ?? engineDefaults.headerBytesMax;
  // The bound is never less than the default. So the service can reject a slightly larger value
  // with the document's own error.
  const least = engineDefaults.urlBytesMax + engineDefaults.headerBytesMax;
  return Math.min(Math.max(url + headers, least), operatorCeilings.headBytesMax);
}

export function boundsOf(limits: LimitsPart, endpoint: Endpoint): RequestBounds {
  const body = closestRow(limits.bodyBytes, endpoint)?.bytes ?? engineDefaults.bodyBytesMax;
  const timeout = closestRow(limits.timeoutsMs, endpoint)?.milliseconds ?? engineDefaults.timeoutMs;
  return {
    bodyBytesMax: Math.min(body, operatorCeilings.bodyBytesMax),
    timeoutMs: Math.min(timeout, operatorCeilings.timeoutMs),
  };
}
