/**
 * Document tree for readers: headings, paragraphs, lists, tables and code as plain data with line
 * numbers, to be rendered without HTML. The tree is only for display; `markdown.ts` reads the
 * meaning from the same text. The same limits apply: a text that is too long has no tree, a long
 * line is cut, and content that is nested too deeply becomes a `too deep` block.
 */
import MarkdownIt, { type MarkdownIt as Parser, type Token } from "markdown-it";
import { blockDepthMax, documentBytesMax, lineLengthMax } from "./ceilings.ts";

/** A part of a line: text, or one of these elements. */
export type Inline =
  | string
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis"; readonly of: readonly Inline[] }
  /** A link to the web, or to a heading of the document. */
  | { readonly kind: "link"; readonly to: string; readonly of: readonly Inline[] }
  /** A line break. */
  | { readonly kind: "break" };

interface Placed {
  /** The first line, from 1. */
  readonly line: number;
}

export type DocumentBlock = Placed &
  (
    | { readonly kind: "heading"; readonly level: number; readonly of: readonly Inline[] }
    | { readonly kind: "paragraph"; readonly of: readonly Inline[] }
    | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly DocumentItem[] }
    | { readonly kind: "quotation"; readonly blocks: readonly DocumentBlock[] }
    | { readonly kind: "table"; readonly head: readonly Cell[]; readonly rows: readonly DocumentRow[] }
    /** `line` is that of the opening fence. */
    | { readonly kind: "fence"; readonly language: string; readonly text: string }
    /** Text without a meaning: a comment, an indented block, HTML. */
    | { readonly kind: "inert"; readonly text: string }
    | { readonly kind: "rule" }
    | { readonly kind: "too deep" }
  );

type Cell = readonly Inline[];

export interface DocumentItem extends Placed {
  readonly blocks: readonly DocumentBlock[];
}

export interface DocumentRow extends Placed {
  readonly cells: readonly Cell[];
}

const parser = createParser();

function createParser(): Parser {
  // HTML is recognised so that comments stay inert. All of it is displayed as text.
  const markdown = new MarkdownIt({
    html: true,
    linkify: false,
    typographer: false,
    maxNesting: 2 * blockDepthMax,
  });
  markdown.block.ruler.disable("reference");
  markdown.inline.ruler.disable(["image", "html_inline", "autolink"]);
  markdown.validateLink = (address) => /^(https?:\/\/|mailto:|#)/i.test(address.trim());
  return markdown;
}

/** The blocks of a document. Undefined if it exceeds the maximum size. */
export function documentTree(text: string): readonly DocumentBlock[] | undefined {
  if (Buffer.byteLength(text) > documentBytesMax) return undefined;
  const normalized = text.replace(/\r\n?/g, "\n").replace(/^\uFEFF/, "");
  const shortened = normalized.replace(new RegExp(`^(.{${lineLengthMax}}).+$`, "gm"), "$1…");
  const tokens = parser.parse(shortened, {});
  return blocksOf({ tokens, at: 0 }, 0);
}

interface TokenCursor {
  readonly tokens: readonly Token[];
  at: number;
}

function lineOf(token: Token): number {
  return (token.map?.[0] ?? 0) + 1;
}

/** The blocks up to the token that closes the enclosing block. */
function blocksOf(cursor: TokenCursor, depth: number): DocumentBlock[] {
  const blocks: DocumentBlock[] = [];
  for (let token = cursor.tokens[cursor.at]; token && token.nesting >= 0; token = cursor.tokens[cursor.at]) {
    cursor.at += 1;
    const block = blockOf(cursor, token, depth);
    if (block) blocks.push(block);
  }
  // Skips the closing token.
  cursor.at += 1;
  return blocks;
}

function blockOf(cursor: TokenCursor, token: Token, depth: number): DocumentBlock | undefined {
  const line = lineOf(token);
  switch (token.type) {
    case "heading_open":
      return { kind: "heading", line, level: Number(token.tag.slice(1)), of: readInlineContent(cursor) };
    case "paragraph_open":
      return { kind: "paragraph", line, of: readInlineContent(cursor) };
    case "bullet_list_open":
    case "ordered_list_open": {
      const items = itemsOf(cursor, depth + 1);
      if (depth >= blockDepthMax) return { kind: "too deep", line };
      return { kind: "list", line, ordered: token.type === "ordered_list_open", items };
    }
    case "blockquote_open": {
      const blocks = blocksOf(cursor, depth + 1);
      return depth >= blockDepthMax ? { kind: "too deep", line } : { kind: "quotation", line, blocks };
    }
    case "table_open":
      return tableOf(cursor, line);
    case "fence":
      return { kind: "fence", line, language: token.info.trim(), text: token.content.replace(/\n$/, "") };
    case "code_block":
    case "html_block":
      return { kind: "inert", line, text: token.content.replace(/\n+$/, "") };
    case "hr":
      return { kind: "rule", line };
    default:
      return undefined;
  }
}

function itemsOf(cursor: TokenCursor, depth: number): DocumentItem[] {
  const items: DocumentItem[] = [];
  for (
    let token = cursor.tokens[cursor.at];
    token?.type === "list_item_open";
    token = cursor.tokens[cursor.at]
  ) {
    cursor.at += 1;
    items.push({ line: lineOf(token), blocks: blocksOf(cursor, depth) });
  }
  cursor.at += 1;
  return items;
}

/** The inline content of a block, up to the token that closes it. */
function readInlineContent(cursor: TokenCursor): readonly Inline[] {
  const content = cursor.tokens[cursor.at];
  cursor.at += 2;
  return inlinesOf({ tokens: content?.children ?? [], at: 0 });
}

function tableOf(cursor: TokenCursor, line: number): DocumentBlock {
  const rows: DocumentRow[] = [];
  for (let token = cursor.tokens[cursor.at]; token; token = cursor.tokens[cursor.at]) {
    cursor.at += 1;
    if (token.type === "table_close") break;
    if (token.type === "tr_open") rows.push({ line: lineOf(token), cells: cellsOf(cursor) });
  }
  const [head, ...others] = rows;
  return { kind: "table", line, head: head?.cells ?? [], rows: others };
}

function cellsOf(cursor: TokenCursor): readonly Cell[] {
  const cells: Cell[] = [];
  while (cursor.tokens[cursor.at]?.type !== "tr_close" && cursor.at < cursor.tokens.length) {
    cursor.at += 1;
    cells.push(readInlineContent(cursor));
  }
  cursor.at += 1;
  return cells;
}

function inlinesOf(cursor: TokenCursor): Inline[] {
  const inlines: Inline[] = [];
  const addText = (text: string) => {
    const last = inlines.at(-1);
    if (typeof last === "string") inlines[inlines.length - 1] = last + text;
    else if (text !== "") inlines.push(text);
  };
  for (let token = cursor.tokens[cursor.at]; token && token.nesting >= 0; token = cursor.tokens[cursor.at]) {
    cursor.at += 1;
    switch (token.type) {
      case "code_inline":
        inlines.push({ kind: "code", text: token.content });
        break;
      case "softbreak":
      case "hardbreak":
        inlines.push({ kind: "break" });
        break;
      case "strong_open":
        inlines.push({ kind: "strong", of: inlinesOf(cursor) });
        break;
      case "em_open":
        inlines.push({ kind: "emphasis", of: inlinesOf(cursor) });
        break;
      case "link_open":
        inlines.push({ kind: "link", to: String(token.attrGet("href") ?? ""), of: inlinesOf(cursor) });
        break;
      default:
        // Strikethrough and similar formats are displayed as plain text, without their marks.
        addText(token.nesting === 0 ? token.content : "");
        if (token.nesting === 1) inlines.push(...inlinesOf(cursor));
    }
  }
  cursor.at += 1;
  return inlines;
}
