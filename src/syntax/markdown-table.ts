/**
 * Recognises GFM tables from two lines, for the Markdown rule and for text that is almost a table.
 */

/** `|---|:--:|`: the row under a table's heading row. */
export function isRowOfDashes(text: string): boolean {
  if (!/^[-|:][-|: \t]+$/.test(text) || /^-\s/.test(text)) return false;
  return text
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .every((cell) => /^:?-+:?$/.test(cell.trim()));
}

/** Cells of a row. A bar at either end is ignored, and one after a backslash is text. */
export function countCells(row: string): number {
  let cells = 1;
  for (let at = 0; at < row.length; at += 1) {
    if (row[at] === "|" && row[at - 1] !== "\\") cells += 1;
  }
  if (row.startsWith("|")) cells -= 1;
  if (row.length > 1 && row.endsWith("|") && !row.endsWith("\\|")) cells -= 1;
  return cells;
}
