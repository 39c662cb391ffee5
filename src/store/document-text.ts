/**
 * Document text: a store keeps the text of the document with which it was last opened, to compare
 * the next document with it.
 */
import { StoreRefused } from "./errors.ts";

/** The name of the setting that holds the text. */
export const textMeta = "text";

/** @throws StoreRefused where an earlier version of Ninefold opened the store last */
export function documentText(kept: string | undefined, shown: string): string {
  if (kept !== undefined) return kept;
  throw new StoreRefused(
    `${shown} does not have the text of its document yet: an earlier version of Ninefold opened it last.`,
    "The next start keeps it there. Until then name the document's file, or its revision in git.",
  );
}
