/**
 * Tables: rows split into cells whose characters have source offsets. The reader of each part
 * interprets the columns.
 *
 *   | Guard | `a \|\| b` |
 *             ^ the backslashes are dropped: the cell's text is `a || b`, each character with its own offset
 */
import { nonNull } from "../support/non-null.ts";
import type { Reporter } from "../diagnostics/diagnostic.ts";
import { type Phrase, phraseFrom, phraseOf, positionIn } from "../source/phrase.ts";
import { positionOf, type Source } from "../source/source.ts";
import { tableColumnsMax, tableRowsMax } from "./ceilings.ts";
import type { RowNode, TableNode } from "./nodes.ts";
import type { Line, RawTable } from "./raw-block.ts";
import { keyText } from "./read.ts";

export function readTable(source: Source, table: RawTable, reporter: Reporter): TableNode {
  const heading = nonNull(table.lines[0]);
  const all = splitCells(source, heading);
  const columns = all.slice(0, tableColumnsMax);
  if (all.length > tableColumnsMax) {
    const position = positionIn(all[tableColumnsMax] as Phrase);
    reporter.report("document/table-too-wide", position, {
      columns: all.length,
      columnsMax: tableColumnsMax,
    });
  }
  reportDuplicates(columns, reporter);
  const lines = table.lines.slice(2, 2 + tableRowsMax);
  const tooMany = table.lines[2 + tableRowsMax];
  if (tooMany) {
    reporter.report("document/table-too-long", positionOf(source, tooMany.start, tooMany.end), {
      rowsMax: tableRowsMax,
    });
  }
  const last = lines.at(-1) ?? nonNull(table.lines[1]);
  return {
    kind: "table",
    columns,
    rows: lines.map((line) => readRow(source, line, all.length, reporter)),
    position: positionOf(source, heading.start, last.end),
  };
}

function readRow(source: Source, line: Line, columns: number, reporter: Reporter): RowNode {
  const cells = splitCells(source, line);
  const position = positionOf(source, line.start, line.end);
  if (columns > 1 && cells.length === 1 && source.text[line.start] !== "|") {
    reporter.report("document/row-without-bar", position, {});
  } else if (cells.length > columns) {
    // The first extra cell is near the bar that should have been escaped.
    const from = cells[columns] as Phrase;
    reporter.report("document/too-many-cells", positionOf(source, from.start, line.end), {
      cells: cells.length,
      columns,
    });
  }
  const kept = Math.min(columns, tableColumnsMax);
  while (cells.length < kept) cells.push(phraseOf(source, line.end, line.end));
  return { cells: cells.slice(0, kept), position };
}

function reportDuplicates(columns: readonly Phrase[], reporter: Reporter): void {
  const columnsByName = new Map<string, Phrase>();
  for (const column of columns) {
    const first = columnsByName.get(keyText(column));
    if (first === undefined) columnsByName.set(keyText(column), column);
    else {
      const related = [{ position: positionIn(first), message: "First defined here." }];
      reporter.report("document/duplicate-column", positionIn(column), { name: column.text }, related);
    }
  }
}

function splitCells(source: Source, line: Line): Phrase[] {
  return cellRanges(source, line).map((range) => cellOf(source, range));
}

/**
 * Ranges of the cells of a row, without surrounding blanks. A bar after a backslash is text (in
 * backticks too, as GFM has it). An empty cell has the position of its text, after its bar and a
 * blank.
 */
export function cellRanges(source: Source, line: Line): Line[] {
  const { text } = source;
  const ranges: Line[] = [];
  let from = text[line.start] === "|" ? line.start + 1 : line.start;
  for (let at = from; at < line.end; at += 1) {
    if (text[at] !== "|" || text[at - 1] === "\\") continue;
    ranges.push(trimRange(source, from, at));
    from = at + 1;
  }
  // No cell follows a closing bar.
  if (from < line.end || ranges.length === 0) ranges.push(trimRange(source, from, line.end));
  return ranges;
}

function trimRange(source: Source, from: number, to: number): Line {
  let start = from;
  let end = to;
  while (start < end && isBlank(source.text[start])) start += 1;
  while (end > start && isBlank(source.text[end - 1])) end -= 1;
  const empty = to - from > 1 ? from + 1 : from;
  return start === end ? { start: empty, end: empty } : { start, end };
}

function cellOf(source: Source, { start, end }: Line): Phrase {
  const plain = phraseOf(source, start, end);
  if (!plain.text.includes("\\|")) return plain;
  const offsets: number[] = [];
  let unescaped = "";
  for (let at = start; at < end; at += 1) {
    if (source.text[at] === "\\" && source.text[at + 1] === "|") continue;
    unescaped += source.text[at];
    offsets.push(at);
  }
  return phraseFrom(source, unescaped, [...offsets, end]);
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\r";
}
