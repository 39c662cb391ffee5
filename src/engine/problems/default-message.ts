/**
 * Default messages: the engine's text for a problem whose document states no Message in part 7. The
 * text is not part of the contract.
 */
import type { ProblemDetail } from "../problem.ts";

/**
 * Matches a problem that starts with a verb and completes "{error.field} …". Any other problem has
 * its own subject.
 */
const verbs = /^(?:can't|failed|may|must|took|went|would|(?!this\b|its\b)[a-z]+s)\b/;

/** The names in a message, in the client's version. */
interface Named {
  readonly field: string | null;
  readonly resource: string | null;
}

/** @param title the title of the condition */
export function defaultMessage(title: string, detail: ProblemDetail, { field, resource }: Named): string {
  const { code, problem } = detail;
  if (detail.field !== undefined || detail.element !== undefined) return `${field} ${problem}.`;
  // A code of the document is more specific than the condition of its status.
  if (code !== undefined && problem === "is refused") return `The service rejects the request: ${code}.`;
  return `${title}: ${fullSentence(detail, resource)}.`;
}

function fullSentence({ condition, problem }: ProblemDetail, resource: string | null): string {
  if (!verbs.test(problem)) return problem;
  return `${subjectOf(condition, resource)} ${problem}`;
}

function subjectOf(condition: ProblemDetail["condition"], resource: string | null): string {
  switch (condition) {
    case "not found":
    case "duplicate":
    case "illegal transition":
    case "guard failed":
    case "in use":
    case "precondition failed":
      return resource === null ? "the request" : `the ${resource.replaceAll("_", " ")}`;
    case "unknown path":
      return "the address";
    case "bad credential":
    case "sign-in failed":
      return "the credential";
    case "quota exceeded":
    case "unavailable":
      return "the service";
    default:
      return "the request";
  }
}
