/**
 * Error conditions of part 7: everything that can be wrong with a request, and the facts of each.
 */

interface ConditionFacts {
  /** Engine default, not part of the contract: the response if no row applies. */
  readonly status: number;
  /** The title of the status for people. Default: the condition's name. */
  readonly title?: string;
  /** The condition whose row applies if this one has none. */
  readonly next?: string;
  /** The default detail of a problem of this kind, which may follow its name. */
  readonly of?: readonly Subject[];
}

/**
 * What a row may be about: `of Parcel`, `of Parcel.weight`, `of query.cursor`, `of type integer`,
 * `of rule length`, `of scheme key`, or the name of a transition or a limit. A row about an endpoint
 * fits every condition.
 */
export type Subject = "resource" | "field" | "input" | "type" | "rule" | "scheme" | "transition" | "limit";

const table = {
  "malformed request": { status: 400 },
  "malformed body": { status: 400, next: "invalid field", of: ["resource"] },
  "invalid field": { status: 422, of: ["resource", "field", "input", "type", "rule"] },
  "missing field": { status: 422, next: "invalid field", of: ["resource", "field", "input", "type"] },
  "unknown field": { status: 422, next: "invalid field", of: ["resource", "field"] },
  "unknown reference": { status: 422, next: "invalid field", of: ["resource", "field", "input", "type"] },
  unauthenticated: { status: 401, title: "Not authenticated", of: ["scheme"] },
  "bad credential": { status: 401, next: "unauthenticated", of: ["scheme"] },
  "sign-in failed": { status: 401, next: "unauthenticated", of: ["resource"] },
  forbidden: { status: 403, of: ["resource", "scheme", "transition"] },
  "unknown path": { status: 404, next: "not found" },
  "not found": { status: 404, of: ["resource"] },
  "method not allowed": { status: 405 },
  "not acceptable": { status: 406 },
  "unsupported media type": { status: 415 },
  "range not satisfiable": { status: 416 },
  duplicate: { status: 409, next: "illegal transition", of: ["resource", "field"] },
  "illegal transition": { status: 409, of: ["resource", "transition"] },
  "guard failed": { status: 409, next: "illegal transition", of: ["resource", "transition"] },
  "in use": { status: 409, next: "illegal transition", of: ["resource"] },
  "precondition failed": { status: 412, of: ["resource"] },
  "precondition required": { status: 428 },
  "idempotency conflict": { status: 422, next: "illegal transition" },
  "idempotency in progress": { status: 409 },
  "rate limited": { status: 429, of: ["limit"] },
  "quota exceeded": { status: 429, of: ["resource", "limit"] },
  "too large": { status: 413, of: ["limit"] },
  "timed out": { status: 503, of: ["limit"] },
  "unknown version": { status: 400 },
  unavailable: { status: 503 },
  internal: { status: 500, title: "Internal error" },
} as const satisfies Readonly<Record<string, ConditionFacts>>;

export type Condition = keyof typeof table;

export const conditions = Object.keys(table) as readonly Condition[];

const facts: Readonly<Record<Condition, ConditionFacts & { readonly next?: Condition }>> = table;

/** The condition whose row applies if this one has none. */
export function nextOf(condition: Condition): Condition | undefined {
  return facts[condition].next;
}

/** Engine default, not part of the contract: status and title if no row applies. */
export function defaultAnswer(condition: Condition): { readonly status: number; readonly title: string } {
  const { status, title = condition.slice(0, 1).toUpperCase() + condition.slice(1) } = facts[condition];
  return { status, title };
}

/** Whether rows of the condition may name such a subject, including conditions that fall back to it. */
export function acceptsSubject(condition: Condition, subject: Subject): boolean {
  return conditions.some(
    (candidate) => leadsTo(candidate, condition) && facts[candidate].of?.includes(subject),
  );
}

/** Whether a condition equals the other one or falls back to it. */
export function leadsTo(from: Condition, condition: Condition): boolean {
  for (let current: Condition | undefined = from; current; current = nextOf(current))
    if (current === condition) return true;
  return false;
}
