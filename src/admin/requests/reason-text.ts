/**
 * Rejection reasons as complete sentences. The engine gives a predicate such as `is not allowed`;
 * this file adds the subject.
 */
import type { JournalEntry, Reason } from "../../engine/observability/journal-entry.ts";

/** Null if the request was not rejected. */
export function reasonText(request: Pick<JournalEntry, "reasons" | "method" | "target">): string | null {
  const { reasons } = request;
  if (reasons.length === 0) return null;
  return reasons
    .map((reason) =>
      lacksSubject(reason) ? `${subjectOf(reason, request)} ${reason.problem}` : reason.problem,
    )
    .join("; ");
}

/** Whether a reason has no subject. Others are complete: `the body is incomplete`. */
function lacksSubject({ field, problem }: Reason): boolean {
  return (
    field !== undefined ||
    /^(?:belongs|can't|does|exceeds|exists|failed|is|matches|may|must|needs|refers|took|was|would)\b/.test(
      problem,
    )
  );
}

function subjectOf(
  { field, condition, resource }: Reason,
  { method, target }: Pick<JournalEntry, "method" | "target">,
): string {
  if (field !== undefined) return field;
  switch (condition) {
    case "forbidden":
    case "method not allowed":
      return `${method} ${pathIn(target)}`;
    case "unknown path":
      return pathIn(target);
    case "bad credential":
      return "The credential that was sent";
    case "sign-in failed":
      return "What was sent to sign in";
    case "unavailable":
      return "The service";
    case "internal":
      return "Something";
    default:
      return resource === undefined ? "The request" : `The ${resource}`;
  }
}

/** The path without its query, which may be long or contain a secret. */
function pathIn(target: string): string {
  return target.split("?", 1)[0]?.slice(0, 200) ?? "";
}
