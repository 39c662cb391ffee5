/**
 * List items of the form `- Key: value`. The key consists of words (letters, digits, spaces,
 * hyphens) before the first colon. An item without that form is prose. The parts decide which keys
 * are valid.
 */
import type { Reporter } from "../diagnostics/diagnostic.ts";
import { type Phrase, positionIn, slice, trim } from "../source/phrase.ts";
import { positionOf, type Source } from "../source/source.ts";
import { keyLengthMax } from "./ceilings.ts";
import type { ItemNode } from "./nodes.ts";
import type { Line, RawListItem } from "./raw-block.ts";
import { joinLines } from "./raw-phrase.ts";

/** The item, without the other content of its list item. Undefined for prose. */
export function readItem(source: Source, item: RawListItem, reporter: Reporter): ItemNode | undefined {
  const paragraph = item.blocks[0];
  if (paragraph?.kind !== "paragraph") return undefined;
  const text = joinLines(source, paragraph.lines.slice(0, 1), " ");
  const key = keyOf(text);
  if (!key) return undefined;
  const whole = joinLines(source, linesBeforeTable(source, paragraph.lines, reporter), " ");
  const behind = slice(whole, whole.text.indexOf(":") + 1);
  const value = behind.text.trim() === "" ? slice(behind, 0, 0) : trim(behind);
  const end = value.text === "" ? value.start : positionIn(value).end.offset;
  return { kind: "item", key, value, position: positionOf(source, key.start, end) };
}

/** The words before the first colon. Undefined if there are none, or with other characters. */
export function keyOf(text: Phrase): Phrase | undefined {
  const colon = text.text.slice(0, keyLengthMax + 1).indexOf(":");
  if (colon === -1) return undefined;
  // A URL is not an item: `- https://example.com`.
  if (text.text.startsWith("//", colon + 1)) return undefined;
  const key = trim(slice(text, 0, colon));
  return /^\p{L}[\p{L}\p{M}\p{N} \t-]*$/u.test(key.text) ? key : undefined;
}

/** The lines of an item before a table. Without an empty line between them, Markdown reads the table as text of the item. */
function linesBeforeTable(source: Source, lines: readonly Line[], reporter: Reporter): readonly Line[] {
  const at = lines.findIndex((line, index) => index > 0 && source.text[line.start] === "|");
  if (at === -1) return lines;
  const row = lines[at] as Line;
  reporter.report("document/table-in-item", positionOf(source, row.start, row.end), {});
  return lines.slice(0, at);
}
