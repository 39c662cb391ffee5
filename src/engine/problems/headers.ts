/** The headers of a refusal, made of what is blamed: whoever refuses says why, and nothing of how it is told. */
import type { HeaderLine } from "../http/message.ts";
import type { ProblemDetail } from "../problem.ts";

/** What goes with the answer besides the document's own headers. */
export function headersOfBlame(detail: ProblemDetail): readonly HeaderLine[] {
  const { methods, challenges, accepts, retryAfterSeconds, isUnreadable } = detail;
  const lines: HeaderLine[] = [];
  if (methods) lines.push(["Allow", methods.join(", ")]);
  for (const challenge of challenges ?? []) lines.push(["WWW-Authenticate", challenge]);
  if (accepts) lines.push([accepts.header, accepts.mediaTypes.join(", ")]);
  if (retryAfterSeconds !== undefined) lines.push(["Retry-After", String(retryAfterSeconds)]);
  if (isUnreadable) lines.push(["Connection", "close"]);
  return lines;
}
