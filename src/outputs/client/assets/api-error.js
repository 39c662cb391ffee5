/**
 * API errors: a refused response as an error of the class that belongs to the body's code, where
 * the operation lists it.
 */
import { valueAt } from "./encode.js";

export class ApiError extends Error {
  constructor({ status, code, message, body, headers }) {
    super(message ?? `${status}${code === undefined ? "" : ` ${code}`}`);
    this.name = this.constructor.name;
    this.status = status;
    this.code = code;
    this.body = body;
    this.headers = headers;
    this.requestId = headers.get("x-request-id") ?? undefined;
    this.retryAfter = secondsToWait(headers);
  }
}

/** The seconds of `Retry-After`, also when the header has a date; undefined without the header. */
export function secondsToWait(headers) {
  const retryAfter = headers.get("retry-after");
  if (retryAfter === null) return undefined;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

export function refusalOf(api, operation, { status, headers }, body) {
  const known = (operation.refusals ?? []).filter((refusal) => refusal.statuses.includes(status));
  const placesOf = (refusal) => refusal?.shown ?? api.shown ?? {};
  // A body without its code identifies the error only if no other error has its status.
  const found =
    known.find((refusal) => refusal.code === codeIn(body, placesOf(refusal))) ??
    (known.length === 1 && placesOf(known[0]).code === undefined ? known[0] : undefined);
  const places = placesOf(found);
  const message = valueAt(body, places.message);
  return new (found ?? ApiError)({
    status,
    code: found?.code ?? codeIn(body, places),
    message: typeof message === "string" ? message : undefined,
    body,
    headers,
  });
}

/** Codes are texts, even where a body has a number. */
function codeIn(body, { code }) {
  const value = valueAt(body, code);
  return value === undefined || value === null ? undefined : String(value);
}
