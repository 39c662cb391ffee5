/**
 * The Trigger cell of a transition: `call`, `immediately`, `after 14 days`, `at expires_at`, `not
 * shown`.
 */
import { type Phrase, unquote } from "../../../source/phrase.ts";
import { durationMs } from "../../../support/quantity.ts";
import { afterWord, isNotShown } from "../../../syntax/read.ts";
import type { PartReader } from "../any-part/part-reader.ts";

export type TriggerDraft =
  | { readonly kind: "call" | "immediately" | "not shown"; readonly phrase?: Phrase }
  | { readonly kind: "after"; readonly milliseconds: number; readonly phrase: Phrase }
  | { readonly kind: "at"; readonly field: Phrase; readonly phrase: Phrase };

const forms = "`call`, `immediately`, `after 14 days`, `at expires_at` or `not shown`";

/** @param gapAt set if the trigger is a gap: the cell that states it, or null for an empty cell */
export function readTrigger(
  cell: Phrase | undefined,
  above: TriggerDraft | undefined,
  reader: PartReader,
): { readonly trigger: TriggerDraft; readonly gapAt?: Phrase | null } {
  // An empty cell means the one above, among rows of the same name.
  if (!cell && above) return { trigger: above };
  if (!cell) return { trigger: { kind: "not shown" }, gapAt: null };
  if (isNotShown(cell)) return { trigger: { kind: "not shown" }, gapAt: cell };
  const phrase = unquote(cell);
  if (phrase.text === "call" || phrase.text === "immediately")
    return { trigger: { kind: phrase.text, phrase } };
  return { trigger: readTimer(phrase, reader) ?? { kind: "not shown" } };
}

function readTimer(phrase: Phrase, reader: PartReader): TriggerDraft | undefined {
  const after = afterWord(phrase, "after");
  if (after) {
    const milliseconds = durationMs(unquote(after).text);
    if (milliseconds) return { kind: "after", milliseconds, phrase };
    return reader.unreadable(phrase, "a fixed length of time after `after`: `14 days`, `90 seconds`");
  }
  const at = afterWord(phrase, "at");
  const field = at && unquote(at);
  if (field && /^\w+$/.test(field.text)) return { kind: "at", field, phrase };
  return reader.unreadable(phrase, forms);
}
