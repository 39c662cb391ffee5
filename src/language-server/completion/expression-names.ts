/**
 * Names in an expression, from its scope in the last compilation: only the expression itself is
 * parsed again. The text may have been edited since, within the expression or elsewhere.
 */
import { createReporter } from "../../diagnostics/diagnostic.ts";
import { bindExpression } from "../../expressions/bind.ts";
import type { ObservedBinding } from "../../expressions/observe-bindings.ts";
import { type Phrase, phraseOf } from "../../source/phrase.ts";
import { createSource } from "../../source/source.ts";
import type { Analysis } from "../analysis.ts";
import type { TextShift } from "../text-shift.ts";
import { comparedWithProbe, probe } from "../probe.ts";
import type { Slot } from "./slots.ts";

/**
 * The names that may fill the slot. Undefined where the last compilation had no expression there.
 *
 * @param slot with offsets of the text
 */
export function namesInExpression(
  { bindings, source }: Analysis,
  text: string,
  moved: TextShift,
  slot: Slot,
): readonly (readonly string[])[] | undefined {
  const isAround = ({ phrase }: ObservedBinding): boolean => {
    const range = phrase.source.text === source.text ? rangeNow(phrase, moved) : undefined;
    if (!range || range.start > slot.start) return false;
    return slot.start <= range.end || text.slice(range.end, slot.start).trim() === "";
  };
  const binding = bindings.findLast(isAround);
  const range = binding && rangeNow(binding.phrase, moved);
  if (!range) return undefined;
  const from = slot.end + slot.dropped;
  const written =
    text.slice(range.start, slot.start) + slot.form(probe) + text.slice(from, Math.max(from, range.end));
  // A pipe is escaped in a cell, and the slot may close the backticks.
  const probed = createSource("probe", written.replaceAll("\\|", "|").replaceAll("`", ""));
  const phrase = phraseOf(probed, 0, probed.text.length);
  return comparedWithProbe(() => {
    bindExpression(phrase, binding.scope, createReporter(probed), binding.expected);
  });
}

/**
 * The current range of the phrase. Undefined if an edit crosses one of its ends, or the phrase
 * isn't contiguous text.
 */
function rangeNow(
  { start, text, offsets }: Phrase,
  moved: TextShift,
): { readonly start: number; readonly end: number } | undefined {
  const end = offsets?.at(-1) ?? start + text.length;
  if (offsets?.some((offset, at) => at > 0 && offset <= (offsets[at - 1] ?? 0))) return undefined;
  if (moved.to < start) return { start: start + moved.added, end: end + moved.added };
  if (end < moved.from) return { start, end };
  return start <= moved.from && moved.to <= end ? { start, end: end + moved.added } : undefined;
}
