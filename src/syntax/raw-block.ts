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
  /** For a fenced block: the blanks that remain of a tab which the indent covers in part. */
  readonly pad?: number;
}

interface RawBlockBase {
  /** Lines of the source, from 0. `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

export interface RawHeading extends RawBlockBase {
  readonly kind: "heading";
  readonly level: number;
  /** The lines without marks. Only an underlined heading has more than one. */
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
  /** The opening marks: three or more backticks or tildes. */
  readonly marks: Line;
  readonly lines: readonly Line[];
  readonly closed: boolean;
}

export interface RawTable extends RawBlockBase {
  readonly kind: "table";
  /** The header row, the delimiter row and the other rows. */
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

/** Quotations, indented code, HTML and thematic breaks, which stay unchanged. */
export interface RawOther extends RawBlockBase {
  readonly kind: "quotation" | "code" | "html" | "rule";
}

export type RawBlock = RawHeading | RawParagraph | RawFence | RawTable | RawList | RawOther;
