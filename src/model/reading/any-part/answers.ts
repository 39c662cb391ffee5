/**
 * Answers of rows and headings to one of the 26 items. A part that states it in one row and leaves
 * it open in another has a smaller gap. A part that leaves it open everywhere doesn't show the item
 * (decision "When an item is stated").
 */
import type { Position } from "../../../source/source.ts";
import type { ItemName, PartName } from "../../../syntax/nodes.ts";
import type { LedgerBuilder } from "./context.ts";

export interface Answers {
  stated(item: ItemName, position: Position): void;
  none(item: ItemName, position: Position): void;
  /** Records that something of this item's kind exists and is `not shown`. */
  open(item: ItemName, subject: string, position: Position): void;
  /** Reports to the ledger. Called once, after the part was read. */
  flush(): void;
}

export function createAnswers(ledger: LedgerBuilder, part: PartName): Answers {
  const stated = new Map<ItemName, Position>();
  const none = new Map<ItemName, Position>();
  const open = new Map<ItemName, { subject: string; position: Position }[]>();
  return {
    stated(item, position) {
      if (!stated.has(item)) stated.set(item, position);
    },
    none(item, position) {
      if (!none.has(item)) none.set(item, position);
    },
    open(item, subject, position) {
      const known = open.get(item) ?? [];
      known.push({ subject, position });
      open.set(item, known);
    },
    flush() {
      for (const [item, position] of stated) ledger.state(item, position);
      for (const [item, position] of none) if (!stated.has(item)) ledger.none(item, position);
      for (const [item, places] of open) {
        const [first] = places;
        if (!stated.has(item) && !none.has(item) && first) ledger.notShown(item, first.position);
        else for (const entry of places) ledger.gap(part, item, entry.subject, entry.position);
      }
    },
  };
}
