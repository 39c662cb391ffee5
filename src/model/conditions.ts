/** Part 7: all that can be wrong with a request, and what is true of each whoever asks. */

interface ConditionFacts {
  /** Engine default, not part of the contract: what is answered where no row speaks. */
  readonly status: number;
  /** With the status, for people. Absent: its name. */
  readonly title?: string;
  /** Where a condition without a row goes next. */
  readonly next?: string;
  /** What may stand behind its name, besides a resource or a field: a transition's name, a limit's, or `type integer`. */
  readonly of?: "transition" | "limit" | "type";
}

const table = {
  "malformed request": { status: 400 },
  "malformed body": { status: 400, next: "invalid field" },
  "invalid field": { status: 422, of: "type" },
  "missing field": { status: 422, next: "invalid field", of: "type" },
  "unknown field": { status: 422, next: "invalid field" },
  "unknown reference": { status: 422, next: "invalid field", of: "type" },
  unauthenticated: { status: 401, title: "Not authenticated" },
  "bad credential": { status: 401, next: "unauthenticated" },
  "sign-in failed": { status: 401, next: "unauthenticated" },
  forbidden: { status: 403, of: "transition" },
  "unknown path": { status: 404, next: "not found" },
  "not found": { status: 404 },
  "method not allowed": { status: 405 },
  "not acceptable": { status: 406 },
  "unsupported media type": { status: 415 },
  duplicate: { status: 409, next: "illegal transition" },
  "illegal transition": { status: 409, of: "transition" },
  "guard failed": { status: 409, next: "illegal transition", of: "transition" },
  "in use": { status: 409, next: "illegal transition" },
  "precondition failed": { status: 412 },
  "precondition required": { status: 428 },
  "idempotency conflict": { status: 422, next: "illegal transition" },
  "idempotency in progress": { status: 409 },
  "rate limited": { status: 429, of: "limit" },
  "quota exceeded": { status: 429, of: "limit" },
  "too large": { status: 413, of: "limit" },
  "timed out": { status: 503, of: "limit" },
  "unknown version": { status: 400 },
  unavailable: { status: 503 },
  internal: { status: 500, title: "Internal error" },
} as const satisfies Readonly<Record<string, ConditionFacts>>;

export type Condition = keyof typeof table;

export const conditions = Object.keys(table) as readonly Condition[];

const facts: Readonly<Record<Condition, ConditionFacts & { readonly next?: Condition }>> = table;

/** Where a condition without a row goes next. */
export function nextOf(condition: Condition): Condition | undefined {
  return facts[condition].next;
}

/** Engine default, not part of the contract: status and title where no row speaks. */
export function defaultAnswer(condition: Condition): { readonly status: number; readonly title: string } {
  const { status, title = condition.slice(0, 1).toUpperCase() + condition.slice(1) } = facts[condition];
  return { status, title };
}

/** What may stand behind its name, besides a resource or a field. */
export function mayBeOf(condition: Condition, subject: "transition" | "limit" | "type"): boolean {
  return facts[condition].of === subject;
}
