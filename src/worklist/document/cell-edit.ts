/** An edit of one cell of a table: the row with another text in a column. */
import type { RowNode, TableNode } from "../../syntax/nodes.ts";
import { lineOf, type SourceDocument } from "./source-document.ts";

/** An edit of a row, to which a further cell can be added. */
export interface CellEdit {
  readonly line: number;
  readonly text: string;
  readonly cells: readonly string[];
}

/**
 * @param before an edit of the same row
 * @returns undefined where the table has no such column
 */
export function cellEdit(
  { source }: SourceDocument,
  { table, row }: { readonly table: TableNode; readonly row: RowNode },
  name: string,
  text: string,
  before?: CellEdit,
): CellEdit | undefined {
  const column = table.columns.findIndex((head) => head.text.trim().toLowerCase() === name);
  if (column === -1) return undefined;
  const cells = row.cells.map((cell, index) =>
    index === column
      ? text.replace(/(?<!\\)\|/g, "\\|")
      : (before?.cells[index] ?? source.text.slice(...rangeOf(cell)).trim()),
  );
  return { line: lineOf(row), text: `| ${cells.join(" | ")} |`, cells };
}

function rangeOf({ start, offsets, text }: RowNode["cells"][number]): [number, number] {
  return [start, offsets?.at(-1) ?? start + text.length];
}
