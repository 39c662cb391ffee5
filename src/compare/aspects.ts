/**
 * Aspects: the members of a part of the model. Each has a rule for its difference, or a reason why another comparison
 * finds it.
 */
import type { Position } from "../source/source.ts";
import type { Differences, Found } from "./difference.ts";
import { sameMeaning } from "./meaning.ts";
import type { RuleName } from "./rules.ts";

/** `elsewhere`: compared on the wire or by another comparison. `same`: it identifies the part, or has no meaning for callers. */
export type Aspect = "elsewhere" | "same" | { readonly rule: RuleName; readonly what: string };

/** An aspect for each member of the type, so that no new member is forgotten. */
export type Aspects<T> = { readonly [K in keyof Required<T>]: Aspect };

export interface Piece {
  readonly subject: string;
  readonly position: Position;
  readonly operations?: readonly string[];
  readonly areReceivers?: boolean;
}

/** Adds a difference for each member whose meaning differs. */
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

/** The position of a member, or of the first element of a list, if it has one. */
function positionIn(member: unknown): Position | undefined {
  if (typeof member !== "object" || member === null) return undefined;
  if (Array.isArray(member)) return positionIn(member[0]);
  return isPlaced(member) ? member.position : undefined;
}

function isPlaced(member: object): member is { readonly position: Position } {
  return "position" in member;
}
