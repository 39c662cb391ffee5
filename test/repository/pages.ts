/** Parsed pages of the documentation, for the tests that compare and run them. */
import { textOf } from "./repository.ts";

export interface Block {
  /** The first word after the fence: `sh`, `markdown`. */
  readonly language: string;
  /** The words after the language: `serve`. */
  readonly mark: string;
  readonly text: string;
  readonly line: number;
}

/**
 * The fenced blocks of a page, or of one of its sections, in order; a longer fence contains shorter
 * ones.
 */
export function blocksOf(page: string, section?: string): readonly Block[] {
  const blocks: Block[] = [];
  let heading: string | undefined;
  let open: { fence: string; language: string; mark: string; line: number; lines: string[] } | undefined;
  for (const [at, line] of textOf(page).split("\n").entries()) {
    const fence = /^(`{3,})\s*(\S*)\s*(.*)$/.exec(line);
    if (open && line.trimEnd() === open.fence) {
      const { language, mark, line: at, lines } = open;
      if (section === undefined || section === heading)
        blocks.push({ language, mark, line: at, text: `${lines.join("\n")}\n` });
      open = undefined;
    } else if (open) open.lines.push(line);
    else if (fence)
      open = {
        fence: fence[1] as string,
        language: fence[2] as string,
        mark: fence[3] as string,
        line: at + 1,
        lines: [],
      };
    else if (line.startsWith("## ")) heading = line.slice(3);
  }
  return blocks;
}

/** The rows of all tables with this heading row on a page, as trimmed cells. */
export function rowsUnder(page: string, headings: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let inside = false;
  for (const line of textOf(page).split("\n")) {
    if (line === headings) inside = true;
    else if (!line.startsWith("|")) inside = false;
    else if (inside && !/^\|[-|]+\|$/.test(line)) rows.push(cellsOf(line));
  }
  if (rows.length === 0) throw new Error(`${page} has no table with the headings ${headings}`);
  return rows;
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, row.lastIndexOf("|"))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
