/** Gaps: what the document says of each item, and what an unanswered item leaves out. */
import type { Position } from "../../source/source.ts";
import type { ItemName, PartName } from "../../syntax/nodes.ts";

export type Answer = "stated" | "none" | "not shown" | "silent";

/** One of the 26 items, and the document's answer. */
export interface LedgerEntry {
  readonly part: PartName;
  readonly item: ItemName;
  readonly answer: Answer;
  /**
   * The first position where it is stated, `none` or `not shown`. For a silent one, the heading of the part, or the
   * start of the document.
   */
  readonly position: Position;
  /** Smaller gaps under this item: single cells or values that are `not shown`. */
  readonly smallerGaps: readonly Gap[];
}

/** A gap: something that is not shown. A request that needs it gets 501, which names it. */
export interface Gap {
  readonly part: PartName;
  readonly item: ItemName;
  /** The missing statement as a phrase: `the type of Parcel.weight`. */
  readonly subject: string;
  readonly position: Position;
}
