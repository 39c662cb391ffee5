/** Build context: what the module of every part receives while a document becomes a model. */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import type { Position } from "../../../source/source.ts";
import type { DocumentNode, ItemName, PartName } from "../../../syntax/nodes.ts";
import type { Declarations } from "../declarations.ts";
import type { Gap, LedgerEntry } from "../../model.ts";
import type { KnownKeys } from "./unread-lines.ts";

export interface BuildContext {
  readonly document: DocumentNode;
  readonly reporter: Reporter;
  readonly ledger: LedgerBuilder;
  /** The readers of items fill it. It is complete after the last `build…`. */
  readonly keys: KnownKeys;
  /** The `declare…` functions fill it. It is complete when the first `build…` runs. */
  readonly declarations: Declarations;
}

/**
 * The 26 items as they are found. A part's module calls `state` for each statement of an item
 * (decision "When an item is stated"), and `none` or `notShown` for those answers. Both for one
 * item is a mistake that refers to both positions (decision "What is said twice").
 */
export interface LedgerBuilder {
  state(item: ItemName, position: Position): void;
  none(item: ItemName, position: Position): void;
  notShown(item: ItemName, position: Position): void;
  /** Reports a smaller gap of the item, and returns it for the model. */
  gap(part: PartName, item: ItemName, subject: string, position: Position): Gap;
  /** Reports contradictions and the gaps of complete items, and returns the 26 entries. */
  finish(): readonly LedgerEntry[];
}
