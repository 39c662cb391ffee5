/**
 * Problem headers: derives the headers of an error response from the problem, such as `Allow` and
 * `Retry-After`.
 */
import type { HeaderLine } from "../http/message.ts";
import type { ProblemDetail } from "../problem.ts";

/** Returns the headers of the problem, in addition to the document's own headers. */
export function problemHeaders(detail: ProblemDetail): readonly HeaderLine[] {
  const { methods, challenges, accepts, retryAfterSeconds, isUnreadable, contentSize } = detail;
  const lines: HeaderLine[] = [];
  if (methods) lines.push(["Allow", methods.join(", ")]);
  for (const challenge of challenges ?? []) lines.push(["WWW-Authenticate", challenge]);
  if (accepts) lines.push([accepts.header, accepts.mediaTypes.join(", ")]);
  if (contentSize !== undefined) lines.push(["Content-Range", `bytes */${contentSize}`]);
  if (retryAfterSeconds !== undefined) lines.push(["Retry-After", String(retryAfterSeconds)]);
  if (isUnreadable) lines.push(["Connection", "close"]);
  return lines;
}
