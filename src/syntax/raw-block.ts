/**
 * Raw Markdown blocks with the exact source range of each line, as `markdown.ts` finds them. They
 * have Markdown's forms, not the notation's. `outline.ts` turns them into parts, items and tables,
 * and `ninefold format` prints them.
 */

/**
 * The content of one line: after list and quotation markers and indent, before trailing blanks and
 * the line break.
 */
export interface Line {
  readonly start: number;
  readonly end: number;
  /** Of a fenced block: blanks in front of the content that a tab half eaten by the indent leaves. */
  readonly pad?: number;
}

interface RawBlockBase {
  /** Lines of the source, counted from 0; `to` is after the last one. */
  readonly from: number;
  readonly to: number;
}

export interface RawHeading extends RawBlockBase {
  readonly kind: "heading";
  readonly level: number;
  /** Without the marks; two and more only in headings that are underlined. */
  readonly lines: readonly Line[];
}

export interface RawParagraph extends RawBlockBase {
  readonly kind: "paragraph";
  readonly lines: readonly Line[];
}

export interface RawFence extends RawBlockBase {
  readonly kind: "fence";
  /** The text after the opening marks. */
  readonly info: Line;
  /** The opening marks, three backticks or more. */
  readonly marks: Line;
  readonly lines: readonly Line[];
  readonly closed: boolean;
}

export interface RawTable extends RawBlockBase {
  readonly kind: "table";
  /** Heading row, row of dashes, rows. */
  readonly lines: readonly Line[];
}

export interface RawList extends RawBlockBase {
  readonly kind: "list";
  readonly ordered: boolean;
  readonly items: readonly RawListItem[];
}

export interface RawListItem extends RawBlockBase {
  readonly blocks: readonly RawBlock[];
}

/** Quotations, indented code, HTML, rules: unchanged. */
export interface RawOther extends RawBlockBase {
  readonly kind: "quotation" | "code" | "html" | "rule";
}

export type RawBlock = RawHeading | RawParagraph | RawFence | RawTable | RawList | RawOther;
