/**
 * Three-way merge of documents, for an import into an edited document. `base` is the document as
 * the last import wrote it, `mine` has the author's answers, and `theirs` is the new import. What
 * the author didn't touch follows the new import; what only the author changed stays.
 */
import {
  withoutPadding,
  type Piece,
  isSameTable,
  textOfUnits,
  type Unit,
  unitsOf,
} from "./document-units.ts";

/** A piece that both the author and the new description changed. */
export interface Conflict {
  /** `Endpoints / GET /pets` */
  readonly unit: string;
  /** The author's lines. Empty if the author removed them. */
  readonly mine: readonly string[];
  /** The new lines. Empty if the new description doesn't have them. */
  readonly theirs: readonly string[];
}

export interface Merged {
  readonly text: string;
  readonly conflicts: readonly Conflict[];
  /** Number of rows that the author answered and the new description changed. The answer is kept. */
  readonly answered: number;
  /** Numbers of headings that were added, updated and removed. */
  readonly counts: Readonly<Record<"added" | "updated" | "removed", number>>;
}

/** Which side a conflict takes. */
export type Side = "mine" | "theirs";

/** Whether a unit that the new description no longer has stays, because an older version needs it. */
export type Keeps = (unit: string) => boolean;

interface Log {
  readonly side: Side;
  readonly keeps: Keeps;
  readonly conflicts: Conflict[];
  answered: number;
}

/** Merges the documents. Conflicts are resolved for the given side, and listed. */
export function mergeDocuments(
  base: string,
  mine: string,
  theirs: string,
  side: Side,
  keeps: Keeps = () => false,
): Merged {
  const [old, own, next] = [unitsOf(base), unitsOf(mine), unitsOf(theirs)];
  const log: Log = { side, keeps, conflicts: [], answered: 0 };
  const counts = { added: 0, updated: 0, removed: 0 };
  const olds = byKey(old);
  const nexts = byKey(next);
  const owns = byKey(own);
  const merged = new Map<string, Unit>();
  for (const unit of own) {
    const made = keptUnit(olds.get(unit.key), unit, nexts.get(unit.key), log);
    if (!made) counts.removed += 1;
    else if (!sameUnit(made, unit)) counts.updated += 1;
    if (made) merged.set(unit.key, made);
  }
  for (const unit of next) {
    const before = olds.get(unit.key);
    if (owns.has(unit.key) || (before && sameUnit(before, unit))) continue;
    // The author removed it, and it changed since.
    if (before) log.conflicts.push({ unit: unit.key, mine: [], theirs: [unit.heading] });
    if (before && side === "mine") continue;
    merged.set(unit.key, unit);
    counts.added += 1;
  }
  const units = inOrder(merged, old, own, next, () => true);
  return { text: textOfUnits(units), conflicts: log.conflicts, answered: log.answered, counts };
}

function keptUnit(before: Unit | undefined, own: Unit, after: Unit | undefined, log: Log): Unit | undefined {
  if (after) return mergeUnit(before, own, after, log);
  if (!before || log.keeps(own.key)) return own;
  if (sameUnit(before, own)) return undefined;
  log.conflicts.push({ unit: own.key, mine: [own.heading], theirs: [] });
  return log.side === "mine" ? own : undefined;
}

function mergeUnit(base: Unit | undefined, mine: Unit, theirs: Unit, log: Log): Unit {
  const olds = byKey(base?.pieces ?? []);
  const nexts = byKey(theirs.pieces);
  const owns = byKey(mine.pieces);
  const clash = (own: Piece | undefined, other: Piece | undefined): Piece | undefined => {
    log.conflicts.push({ unit: mine.key, mine: own?.lines ?? [], theirs: other?.lines ?? [] });
    return log.side === "mine" ? own : other;
  };
  const merged = new Map<string, Piece>();
  const keep = (piece: Piece | undefined): void => {
    if (piece) merged.set(piece.key, piece);
  };
  for (const own of mine.pieces) {
    const [before, after] = [olds.get(own.key), nexts.get(own.key)];
    if (same(before, after) || same(own, after)) keep(own);
    else keep(same(own, before) ? after : clash(own, after));
  }
  for (const piece of theirs.pieces) {
    const before = olds.get(piece.key);
    if (owns.has(piece.key) || same(before, piece)) continue;
    // An answer replaced the row: `Body: name` has the type of the field.
    const isAnswered = before?.kind === "row" && !same(olds.get("item does"), owns.get("item does"));
    if (isAnswered) log.answered += 1;
    else keep(before ? clash(undefined, piece) : piece);
  }
  const pieces = inOrder(merged, base?.pieces ?? [], mine.pieces, theirs.pieces, isOfOneBlock);
  // A heading has the same text in all versions. Only the document's title may differ.
  const heading = base?.heading === mine.heading ? theirs.heading : mine.heading;
  return { ...mine, heading, pieces };
}

interface Keyed {
  readonly key: string;
}

/**
 * The merged parts in the new order if the author kept the old one, else in the author's. A part of
 * the other side stands behind the nearest part before it that fits.
 */
function inOrder<P extends Keyed>(
  merged: ReadonlyMap<string, P>,
  base: readonly P[],
  mine: readonly P[],
  theirs: readonly P[],
  fits: (a: P, b: P) => boolean,
): readonly P[] {
  const [first, second] = isSameOrder(base, mine) ? [theirs, mine] : [mine, theirs];
  const present = (parts: readonly P[]) => parts.flatMap(({ key }) => merged.get(key) ?? []);
  const ordered = [...present(first)];
  const placed = new Set(ordered.map(({ key }) => key));
  let previous: P | undefined;
  for (const part of present(second)) {
    if (!placed.has(part.key)) {
      ordered.splice(placeOf(ordered, part, previous, fits), 0, part);
      placed.add(part.key);
    }
    previous = part;
  }
  return ordered;
}

function placeOf<P extends Keyed>(
  parts: readonly P[],
  added: P,
  previous: P | undefined,
  fits: (a: P, b: P) => boolean,
): number {
  const at = parts.findIndex(({ key }) => key === previous?.key);
  const before = parts[at];
  if (before === undefined) return 0;
  const after = parts[at + 1];
  if (fits(before, added) || after === undefined || !fits(before, after)) return at + 1;
  // A table or a list is never split.
  const end = parts.findIndex((part, index) => index > at && !fits(before, part));
  return end === -1 ? parts.length : end;
}

/** Whether the parts that both have are in the same order. */
function isSameOrder(a: readonly Keyed[], b: readonly Keyed[]): boolean {
  const [inA, inB] = [new Set(a.map(({ key }) => key)), new Set(b.map(({ key }) => key))];
  const ofB = b.filter(({ key }) => inA.has(key));
  return a.filter(({ key }) => inB.has(key)).every(({ key }, index) => ofB[index]?.key === key);
}

function isOfOneBlock(a: Piece, b: Piece): boolean {
  return a.kind === b.kind && a.kind !== "text" && (a.kind !== "row" || isSameTable(a, b));
}

function byKey<P extends Keyed>(parts: readonly P[]): ReadonlyMap<string, P> {
  return new Map(parts.map((part) => [part.key, part]));
}

function same(a: Piece | undefined, b: Piece | undefined): boolean {
  if (!a || !b) return a === b;
  return a.lines.map(withoutPadding).join("\n") === b.lines.map(withoutPadding).join("\n");
}

function sameUnit(a: Unit, b: Unit): boolean {
  return (
    a.heading === b.heading &&
    a.pieces.length === b.pieces.length &&
    a.pieces.every((piece, index) => same(piece, b.pieces[index]))
  );
}
