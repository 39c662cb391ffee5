/** The text of the document with which a store was last opened. The store keeps it, so that the next document can be compared with it. */
import { StoreRefused } from "./errors.ts";

/** Under this name the text stands among what a store says of itself. */
export const textMeta = "text";

/** @throws StoreRefused where an earlier version of Ninefold opened the store last */
export function documentText(kept: string | undefined, shown: string): string {
  if (kept !== undefined) return kept;
  throw new StoreRefused(
    `${shown} does not have the text of its document yet: an earlier version of Ninefold opened it last.`,
    "The next start keeps it there. Until then name the document's file, or its revision in git.",
  );
}
