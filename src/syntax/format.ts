/**
 * Document formatter: prints one canonical form with an empty line between blocks, `- Key: value`
 * and aligned tables. Fenced blocks and prose stay unchanged, and so does everything whose meaning
 * another form might change.
 */
import { nonNull } from "../support/non-null.ts";
import type { Reporter } from "../diagnostics/diagnostic.ts";
import { phraseOf } from "../source/phrase.ts";
import { widthOf } from "../source/printable.ts";
import type { Source } from "../source/source.ts";
import { keyOf } from "./item.ts";
import { readBlocks } from "./markdown.ts";
import type {
  Line,
  RawBlock,
  RawFence,
  RawHeading,
  RawList,
  RawListItem,
  RawParagraph,
  RawTable,
} from "./raw-block.ts";
import { rawLines } from "./raw-phrase.ts";
import { cellRanges } from "./table.ts";

/**
 * Formats the text. `reporter` receives size limit diagnostics; the result is useless after one.
 */
export function formatDocument(source: Source, reporter: Reporter): string {
  const blocks = readBlocks(source, reporter);
  const title = blocks.find((block) => block.kind === "heading" && block.level === 1);
  const items = printLists(source, blocks);
  let text = "";
  blocks.forEach((block, index) => {
    if (text !== "") text += spaceBetween(source, blocks, items, index);
    text += items[index] ?? printBlock(source, block, block === title);
  });
  return text === "" ? "" : `${text}\n`;
}

/** The line breaks before a block that isn't the first. */
function spaceBetween(
  source: Source,
  blocks: readonly RawBlock[],
  items: readonly (string | undefined)[],
  index: number,
): string {
  const [above, block] = [blocks[index - 1] as RawBlock, blocks[index] as RawBlock];
  if (above.kind !== "list" || block.kind !== "list") return "\n\n";
  // Lists that differed only in their bullets are a single list now.
  if (items[index] !== undefined && items[index - 1] !== undefined) return "\n";
  if (items[index - 1] !== undefined) return "\n\n";
  // An empty item ends its list at the second empty line. With one line fewer, the two lists would become one.
  return "\n".repeat(1 + block.from - lineBehind(source, above));
}

/** The line after the last non-blank line of a block. */
function lineBehind(source: Source, block: RawBlock): number {
  return block.from + rawLines(source, block.from, block.to).text.split("\n").length;
}

/** The printed form of each block as a list of items. Undefined for other blocks, and if a print could change the meaning. */
function printLists(source: Source, blocks: readonly RawBlock[]): (string | undefined)[] {
  const printed: (string | undefined)[] = [];
  // From the end, because the form of a list depends on the following block.
  for (let at = blocks.length - 1; at >= 0; at -= 1) {
    const block = blocks[at] as RawBlock;
    const next = blocks[at + 1];
    const crowded = next !== undefined && printed[at + 1] === undefined && staysIndented(source, next);
    printed[at] = block.kind === "list" && !crowded ? printItems(source, block) : undefined;
  }
  return printed;
}

function printBlock(source: Source, block: RawBlock, isTitle: boolean): string {
  switch (block.kind) {
    case "heading":
      // Headings of other levels are prose.
      return isTitle || block.level === 2 || block.level === 3
        ? printHeading(source, block)
        : printProse(source, block);
    case "paragraph":
      return printProse(source, block);
    case "table":
      return printTable(source, block);
    case "fence":
      return printFence(source, block, "");
    default:
      return rawLines(source, block.from, block.to).text;
  }
}

function textOf(source: Source, line: Line): string {
  return source.text.slice(line.start, line.end);
}

/** The lines of a block, without the indent (up to three blanks) of the first, which could make it part of a list above. */
function printProse(source: Source, block: RawParagraph | RawHeading): string {
  return rawLines(source, block.from, block.to).text.replace(/^[ \t]+/, "");
}

function printHeading(source: Source, heading: RawHeading): string {
  const text = heading.lines.map((line) => textOf(source, line)).join(" ");
  // A number sign at the end of an underlined heading would become a closing mark.
  if (/(^|\s)#+$/.test(text)) return rawLines(source, heading.from, heading.to).text;
  return `${"#".repeat(heading.level)} ${text}`.trimEnd();
}

function printFence(source: Source, fence: RawFence, indent: string): string {
  if (!fence.closed) return rawLines(source, fence.from, fence.to).text;
  const content = fence.lines.map((line) => `${" ".repeat(line.pad ?? 0)}${textOf(source, line)}`);
  const marks = marksAround(content, textOf(source, fence.marks));
  const lines = [`${marks}${textOf(source, fence.info)}`, ...content, marks];
  return lines.map((line) => (line === "" ? "" : indent + line)).join("\n");
}

/**
 * Fence marks that no line of the content closes. A content line like the marks is indented by four
 * columns; it would close the block after the block's own indent is removed. Longer marks prevent
 * that.
 */
function marksAround(content: readonly string[], marks: string): string {
  const mark = nonNull(marks[0]);
  const closing = new RegExp(`^ {0,3}(${mark}{${marks.length},})[ \\t]*$`);
  const longest = Math.max(0, ...content.map((line) => closing.exec(line)?.[1]?.length ?? 0));
  return longest === 0 ? marks : mark.repeat(longest + 1);
}

// ── Lists ───────────────────────────────────────────────────────────────────────────────────────

/** A list that only has items, one per line. Undefined if it has other content. */
function printItems(source: Source, list: RawList): string | undefined {
  if (list.ordered) return undefined;
  const printed = list.items.map((item) => printItem(source, item));
  return printed.every((item) => item !== undefined) ? printed.join("\n") : undefined;
}

/** Whether the block after the list keeps an indent. If the list's indent shrank, the block could become part of the list. */
function staysIndented(source: Source, next: RawBlock): boolean {
  if (next.kind === "heading" || next.kind === "paragraph" || next.kind === "table") return false;
  if (next.kind === "fence" && next.closed) return false;
  return /^[ \t]/.test(source.text.slice(source.lineStarts[next.from] as number));
}

/** Line starts that would begin a block if they were indented less. */
const blockMark = /^(?:[-+*>#|<=~`]|:?-|\d{1,9}[.)])/;

function printItem(source: Source, item: RawListItem): string | undefined {
  const [paragraph, ...nested] = item.blocks;
  if (paragraph?.kind !== "paragraph") return undefined;
  const [first, ...others] = paragraph.lines as readonly [Line, ...Line[]];
  const key = keyOf(phraseOf(source, first.start, first.end));
  if (!key || others.some((line) => blockMark.test(textOf(source, line)))) return undefined;
  const value = source.text.slice(source.text.indexOf(":", first.start) + 1, first.end).trim();
  const lines = [
    `- ${key.text.replace(/\s+/g, " ")}: ${value}`.trimEnd(),
    ...others.map((line) => `  ${textOf(source, line)}`),
  ];
  const below = nested.map((block) => printNested(source, block));
  if (below.some((block) => block === undefined)) return undefined;
  return [lines.join("\n"), ...below].join("\n\n");
}

function printNested(source: Source, block: RawBlock): string | undefined {
  if (block.kind === "fence" && block.closed) return printFence(source, block, "  ");
  return undefined;
}

// ── Tables ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Maximum width of a table that is printed in aligned columns. A wider one would need long runs of blanks, and most
 * screens would wrap it.
 */
const alignedWidthMax = 120;

/**
 * Maximum number of rows of a table that is printed in aligned columns. In a longer one, a single long word would
 * change every line.
 */
const alignedRowsMax = 20;

type Alignment = "" | "left" | "right" | "center";

function printTable(source: Source, table: RawTable): string {
  const rows = table.lines.map((line) => cellRanges(source, line).map((range) => textOf(source, range)));
  const [heading, dashes, ...body] = rows as [string[], string[], ...string[][]];
  const isIrregular = body.some(
    (row, index) => row.length > heading.length || textOf(source, table.lines[index + 2] as Line)[0] !== "|",
  );
  // Rows that are reported as mistakes are printed unchanged.
  if (isIrregular && heading.length > 1) return rawLines(source, table.from, table.to).text;
  const alignments = dashes.map(alignmentOf);
  const cells = [heading, ...body].map((row) => heading.map((_, column) => row[column] ?? ""));
  const widths = heading.map((_, column) =>
    Math.max(3, ...cells.map((row) => widthOf(row[column] as string))),
  );
  const aligned =
    body.length <= alignedRowsMax && widths.reduce((sum, width) => sum + width + 3, 1) <= alignedWidthMax;
  const [top, ...rest] = cells.map((row) => printRow(row, aligned ? widths : undefined, alignments));
  return [top, printDashes(alignments, aligned ? widths : undefined), ...rest].join("\n");
}

function printRow(
  row: readonly string[],
  widths: readonly number[] | undefined,
  alignments: readonly Alignment[],
): string {
  const cells = row.map((cell, column) => {
    const blanks = widths ? " ".repeat((widths[column] as number) - widthOf(cell)) : "";
    if (cell === "") return widths ? ` ${blanks} ` : " ";
    return alignments[column] === "right" ? ` ${blanks}${cell} ` : ` ${cell}${blanks} `;
  });
  return `|${cells.join("|")}|`;
}

function printDashes(alignments: readonly Alignment[], widths: readonly number[] | undefined): string {
  const cells = alignments.map((alignment, column) => {
    const left = alignment === "left" || alignment === "center" ? ":" : "";
    const right = alignment === "right" || alignment === "center" ? ":" : "";
    const dashes = "-".repeat((widths ? (widths[column] as number) : 3) - left.length - right.length);
    return widths ? ` ${left}${dashes}${right} ` : `${left}${dashes}${right}`;
  });
  return `|${cells.join("|")}|`;
}

function alignmentOf(dashes: string): Alignment {
  const left = dashes.startsWith(":");
  const right = dashes.endsWith(":");
  if (left && right) return "center";
  return left ? "left" : right ? "right" : "";
}
