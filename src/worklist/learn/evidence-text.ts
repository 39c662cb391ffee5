/** Evidence of recorded traffic: how many requests support a proposal, and the first of them. */
import type { KindName, LearnedSubject } from "../document/answers.ts";

/** Maximum number of entries that are named. */
const namedMax = 3;

/** `12 requests, such as entries 4, 9 and 17` */
function requestsText(numbers: readonly number[]): string {
  const all = [...new Set(numbers)];
  const named = all.slice(0, namedMax);
  if (all.length === 1) return `entry ${named[0]}`;
  const list = `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
  return all.length > namedMax ? `${all.length} requests, such as entries ${list}` : `entries ${list}`;
}

/** The evidence of requests for and against a proposal. */
export function evidenceLines(shown: readonly number[], refuted: string): readonly string[] {
  return [requestsText(shown), refuted === "" ? "nothing else was tried" : `refuted: ${refuted}`];
}

/** The kind of a proposal: `likely` needs evidence for and against. */
export function kindFor(subject: LearnedSubject, isLikely: boolean): KindName {
  return `${isLikely ? "seen" : "maybe"}-${subject}`;
}
