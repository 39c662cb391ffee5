/** A piece of the model, member by member: each has a rule for when it differs, or a reason why its difference is found elsewhere. */
import type { Position } from "../source/source.ts";
import type { Differences, Found } from "./difference.ts";
import { sameMeaning } from "./meaning.ts";
import type { RuleName } from "./rules.ts";

/** `elsewhere`: compared on the wire or by a comparison of its own. `same`: it identifies the piece, or has no meaning for callers. */
export type Aspect = "elsewhere" | "same" | { readonly rule: RuleName; readonly what: string };

/** One for each member of the type, so that a new member is not forgotten. */
export type Aspects<T> = { readonly [K in keyof Required<T>]: Aspect };

export interface Piece {
  readonly subject: string;
  readonly position: Position;
  readonly operations?: readonly string[];
  readonly areReceivers?: boolean;
}

/** Adds a difference for each member that does not mean the same in both. */
export function compareAspects<T extends object>(
  before: T,
  after: T,
  aspects: Aspects<T>,
  piece: Piece,
  differences: Differences,
): void {
  for (const key in aspects) {
    const aspect: Aspect = aspects[key];
    if (typeof aspect === "string" || sameMeaning(before[key], after[key])) continue;
    report(differences, piece, aspect.rule, aspect.what, positionIn(after[key]) ?? positionIn(before[key]));
  }
}

export function report(
  differences: Differences,
  { subject, position, ...audience }: Piece,
  rule: RuleName,
  what: string,
  at?: Position,
  more: Partial<Found> = {},
): void {
  differences.add({
    rule,
    subject,
    message: `\`${subject}\` ${what}.`,
    place: { in: "new", position: at ?? position },
    ...audience,
    ...more,
  });
}

/** Where a member stands, if it says so itself: the first of a list. */
function positionIn(member: unknown): Position | undefined {
  if (typeof member !== "object" || member === null) return undefined;
  if (Array.isArray(member)) return positionIn(member[0]);
  return isPlaced(member) ? member.position : undefined;
}

function isPlaced(member: object): member is { readonly position: Position } {
  return "position" in member;
}
