/**
 * Markdown parser adapter, the only file that depends on markdown-it. markdown-it finds the blocks:
 * it is linear and safe with hostile nesting, but reports only lines. The rules here are its own
 * rules, each followed by a lookup of where the lines of the block begin, which gives the columns.
 * Inline Markdown is never parsed.
 */
import { nonNull } from "../support/non-null.ts";
import MarkdownIt, { type Env, type MarkdownIt as Parser, type StateBlock, type Token } from "markdown-it";
import type { Reporter } from "../diagnostics/diagnostic.ts";
import { positionOf, type Source } from "../source/source.ts";
import { blockDepthMax, documentBytesMax, lineLengthMax } from "./ceilings.ts";
import { countCells, isRowOfDashes } from "./markdown-table.ts";
import type { DocumentNode } from "./nodes.ts";
import { outline } from "./outline.ts";
import type { Line, RawBlock, RawListItem } from "./raw-block.ts";

/** Reads a document into its parts. Every text has a tree, and what is wrong with it is reported. */
export function parseMarkdown(source: Source, reporter: Reporter): DocumentNode {
  const bytes = Buffer.byteLength(source.text);
  if (bytes > documentBytesMax) {
    reporter.report("document/too-long", positionOf(source, 0, 0), { bytes, bytesMax: documentBytesMax });
    return { source, name: undefined, intro: [], parts: {} };
  }
  reportControlCharacters(source, reporter);
  return outline(source, readBlocks(source, reporter), reporter);
}

/** The blocks of a text, in order. */
export function readBlocks(source: Source, reporter: Reporter): RawBlock[] {
  const text = readableText(source, reporter);
  const env: Environment = { original: source.text, depth: 0, tooDeepLine: undefined };
  const tokens: Token[] = [];
  parser.block.parse(text, parser, env as never, tokens);
  if (env.tooDeepLine !== undefined) {
    const start = source.lineStarts[env.tooDeepLine] as number;
    const end = source.lineStarts[env.tooDeepLine + 1] ?? source.text.length;
    reporter.report(
      "document/nested-too-deep",
      positionOf(source, start, start + source.text.slice(start, end).trimEnd().length),
      {
        depthMax: blockDepthMax,
      },
    );
  }
  return blocksOf({ text, tokens, at: 0 });
}

// ── The text that is parsed ─────────────────────────────────────────────────────────────────────

/**
 * The text with as many characters as the source, so that all offsets are source offsets. A byte
 * order mark, the carriage returns of line breaks and everything beyond the line length limit
 * become blanks. A line with only blanks of any kind becomes empty: Markdown would make a paragraph
 * of an invisible no-break space.
 */
function readableText(source: Source, reporter: Reporter): string {
  let text = source.text.replaceAll("\r", " ");
  if (text.startsWith("\uFEFF")) text = ` ${text.slice(1)}`;
  text = text.replace(/(?<=^|\n)[^\S\n]+(?=\n|$)/g, (blanks) => blanks.replace(/[^ \t]/g, " "));
  const pieces: string[] = [];
  let copied = 0;
  source.lineStarts.forEach((start, index) => {
    const end = (source.lineStarts[index + 1] ?? text.length + 1) - 1;
    if (end - start <= lineLengthMax) return;
    const length = source.text.slice(start, end).trimEnd().length;
    if (length <= lineLengthMax) return;
    const cut = start + lineLengthMax;
    reporter.report("document/line-too-long", positionOf(source, cut, start + length), {
      length,
      lengthMax: lineLengthMax,
    });
    pieces.push(text.slice(copied, cut), " ".repeat(end - cut));
    copied = end;
  });
  return pieces.length === 0 ? text : pieces.join("") + text.slice(copied);
}

// U+202A–202E and U+2066–2069 turn the reading order around; NUL ends strings elsewhere; a carriage return alone is a
// line break for some readers and none for others.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const controls = /[\u0000\u202A-\u202E\u2066-\u2069]|\r(?!\n)/g;

function reportControlCharacters(source: Source, reporter: Reporter): void {
  for (const match of source.text.matchAll(controls)) {
    const number = match[0].charCodeAt(0);
    const name =
      number === 0
        ? "a NUL character"
        : number === 13
          ? "a carriage return without a line feed"
          : `the control character U+${number.toString(16).toUpperCase()} (reading direction)`;
    reporter.report("document/control-character", positionOf(source, match.index, match.index + 1), { name });
  }
}

// ── markdown-it's rules, with columns ───────────────────────────────────────────────────────────

/** State that the rules share while a text is parsed. */
interface Environment extends Env {
  /** The text before carriage returns became blanks. */
  readonly original: string;
  depth: number;
  /** The first line whose nesting exceeds the maximum. */
  tooDeepLine: number | undefined;
}

function environmentOf(state: StateBlock): Environment {
  return state.env as Environment;
}

type BlockRule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;

/** Data of a leaf block, in the `meta` of its token. */
interface Marks {
  readonly lines: readonly Line[];
  /** For a fenced block: whether it is unclosed. */
  readonly open?: boolean;
}

/** Which blocks a rule may interrupt, as in markdown-it. `Ruler.at` would reset this. */
const alternatives: Readonly<Record<string, string[]>> = {
  fence: ["paragraph", "reference", "blockquote", "list"],
  blockquote: ["paragraph", "reference", "blockquote", "list"],
  hr: ["paragraph", "reference", "blockquote", "list"],
  list: ["paragraph", "reference", "blockquote"],
  html_block: ["paragraph", "reference", "blockquote"],
  heading: ["paragraph", "reference", "blockquote"],
};

const parser = createParser();

function createParser(): Parser {
  // `html` makes the parser recognise HTML blocks, so that comments stay inert. Nothing is ever
  // rendered.
  const markdown = new MarkdownIt({ html: true, linkify: false, typographer: false });
  const ruler = markdown.block.ruler;
  // A link definition is text like any other.
  ruler.disable("reference");
  ruler.at("table", tableRule, { alt: ["paragraph", "reference"] });
  for (const name of ["blockquote", "list"])
    ruler.at(name, bounded(ruleNamed(name)), { alt: alternatives[name] as string[] });
  for (const name of ["code", "fence", "hr", "html_block", "heading", "lheading", "paragraph"]) {
    ruler.at(name, marked(ruleNamed(name)), { alt: alternatives[name] ?? [] });
  }
  return markdown;
}

/** A rule of markdown-it. The ruler returns functions without names, so all other rules are switched off to find it. */
function ruleNamed(name: string): BlockRule {
  const ruler = new MarkdownIt().block.ruler;
  ruler.enableOnly(name);
  return nonNull(ruler.getRules("")[0]);
}

/** The rule, which also records where the lines of its block start. This is only known until the enclosing blocks end. */
function marked(rule: BlockRule): BlockRule {
  return (state, startLine, endLine, silent) => {
    const first = state.tokens.length;
    const done = rule(state, startLine, endLine, silent);
    const token = state.tokens[first];
    if (done && !silent && token) {
      const indent = token.type === "fence" ? (state.sCount[startLine] as number) : undefined;
      // Marks indented by four columns close nothing.
      const open = (state.sCount[state.line - 1] as number) - state.blkIndent >= 4;
      token.meta = { lines: linesOf(state, startLine, state.line, indent), open } satisfies Marks;
    }
    return done;
  };
}

/** The rule within the depth limit. Below it, a marker is ordinary text. */
function bounded(rule: BlockRule): BlockRule {
  return (state, startLine, endLine, silent) => {
    if (silent) return rule(state, startLine, endLine, silent);
    const env = environmentOf(state);
    if (env.depth >= blockDepthMax) {
      if (rule(state, startLine, endLine, true)) env.tooDeepLine ??= startLine;
      return false;
    }
    env.depth += 1;
    const done = rule(state, startLine, endLine, silent);
    env.depth -= 1;
    return done;
  };
}

function linesOf(state: StateBlock, from: number, to: number, fenceIndent: number | undefined): Line[] {
  const lines: Line[] = [];
  for (let line = from; line < to; line += 1) {
    lines.push(
      fenceIndent === undefined || line === from
        ? contentOf(state, line)
        : fenceLineOf(state, line, fenceIndent),
    );
  }
  return lines;
}

function contentOf(state: StateBlock, line: number): Line {
  const end = state.eMarks[line] as number;
  const start = Math.min(end, (state.bMarks[line] as number) + (state.tShift[line] as number));
  return { start, end: state.skipSpacesBack(end, start) };
}

/**
 * A line of a fenced block, without the indent of its opening line (tabs reach to every fourth
 * column).
 */
function fenceLineOf(state: StateBlock, line: number, indent: number): Line {
  let end = state.eMarks[line] as number;
  let start = state.bMarks[line] as number;
  let column = 0;
  while (start < end && column < indent) {
    const character = state.src[start];
    if (character === "\t") column += 4 - ((column + (state.bsCount[line] as number)) % 4);
    else if (character === " ") column += 1;
    else break;
    start += 1;
  }
  const pad = Math.max(0, column - indent);
  // A former carriage return is a blank here. Before a line break it isn't content.
  if (end > start && state.src[end] === "\n" && isCarriageReturn(state, end - 1)) end -= 1;
  return pad > 0 ? { start, end, pad } : { start, end };
}

function isCarriageReturn(state: StateBlock, offset: number): boolean {
  return environmentOf(state).original[offset] === "\r";
}

/** GFM tables as markdown-it reads them, but as a single token. `table.ts` splits the cells, because it knows their columns. */
function tableRule(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (startLine + 2 > endLine) return false;
  if ((state.sCount[startLine] as number) - state.blkIndent >= 4) return false;
  const indent = (state.sCount[startLine + 1] as number) - state.blkIndent;
  if (indent < 0 || indent >= 4) return false;
  const dashes = textOf(state, startLine + 1);
  if (!isRowOfDashes(dashes)) return false;
  const heading = textOf(state, startLine);
  if (!heading.includes("|") || countCells(heading) !== countCells(dashes)) return false;
  if (silent) return true;

  const terminators = state.md.block.ruler.getRules("blockquote");
  const parentType = state.parentType;
  state.parentType = "table";
  let line = startLine + 2;
  for (; line < endLine && !state.isEmpty(line); line += 1) {
    const depth = (state.sCount[line] as number) - state.blkIndent;
    if (depth < 0 || depth >= 4 || terminators.some((rule) => rule(state, line, endLine, true))) break;
  }
  state.parentType = parentType;
  state.line = line;
  const token = state.push("table", "table", 0);
  token.map = [startLine, line];
  token.meta = { lines: linesOf(state, startLine, line, undefined) } satisfies Marks;
  return true;
}

function textOf(state: StateBlock, line: number): string {
  const { start, end } = contentOf(state, line);
  return state.src.slice(start, end);
}

// ── Tokens to blocks ────────────────────────────────────────────────────────────────────────────

interface Reading {
  readonly text: string;
  readonly tokens: readonly Token[];
  at: number;
}

/** The blocks up to the token that closes the enclosing block. */
function blocksOf(reading: Reading): RawBlock[] {
  const blocks: RawBlock[] = [];
  for (
    let token = reading.tokens[reading.at];
    token && token.nesting >= 0;
    token = reading.tokens[reading.at]
  ) {
    reading.at += 1;
    const block = blockOf(reading, token);
    if (block) blocks.push(block);
  }
  return blocks;
}

function blockOf(reading: Reading, token: Token): RawBlock | undefined {
  const [from, to] = token.map ?? [0, 0];
  const { lines, open = false } = (token.meta as Marks | null) ?? { lines: [] };
  switch (token.type) {
    case "heading_open":
      reading.at += 2;
      return {
        kind: "heading",
        level: Number(token.tag.slice(1)),
        lines: headingLines(reading.text, lines),
        from,
        to,
      };
    case "paragraph_open":
      reading.at += 2;
      return { kind: "paragraph", lines, from, to };
    case "fence":
      return fenceOf(reading.text, token.markup, lines, open, from, to);
    case "table":
      return { kind: "table", lines, from, to };
    case "bullet_list_open":
    case "ordered_list_open":
      return { kind: "list", ordered: token.type === "ordered_list_open", items: itemsOf(reading), from, to };
    case "blockquote_open":
      blocksOf(reading);
      reading.at += 1;
      return { kind: "quotation", from, to };
    case "code_block":
      return { kind: "code", from, to };
    case "html_block":
      return { kind: "html", from, to };
    case "hr":
      return { kind: "rule", from, to };
    default:
      return undefined;
  }
}

function itemsOf(reading: Reading): RawListItem[] {
  const items: RawListItem[] = [];
  for (
    let token = reading.tokens[reading.at];
    token?.type === "list_item_open";
    token = reading.tokens[reading.at]
  ) {
    const [from, to] = token.map ?? [0, 0];
    reading.at += 1;
    items.push({ blocks: blocksOf(reading), from, to });
    reading.at += 1;
  }
  reading.at += 1;
  return items;
}

/** The lines without the `#` marks or the underline. */
function headingLines(text: string, lines: readonly Line[]): readonly Line[] {
  if (lines.length > 1) return lines.slice(0, -1);
  let { start, end } = nonNull(lines[0]);
  while (text[start] === "#" && start < end) start += 1;
  while (isBlank(text[start]) && start < end) start += 1;
  let closing = end;
  while (closing > start && text[closing - 1] === "#") closing -= 1;
  if (closing === start || isBlank(text[closing - 1])) end = closing;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return [{ start, end }];
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}

function fenceOf(
  text: string,
  markup: string,
  lines: readonly Line[],
  open: boolean,
  from: number,
  to: number,
): RawBlock {
  const opening = nonNull(lines[0]);
  const marks = { start: opening.start, end: opening.start + markup.length };
  let start = marks.end;
  while (start < opening.end && isBlank(text[start])) start += 1;
  const last = nonNull(lines.at(-1));
  const closing = text.slice(last.start, last.end).trim();
  const closed =
    !open &&
    lines.length > 1 &&
    closing.length >= markup.length &&
    closing === nonNull(markup[0]).repeat(closing.length);
  return {
    kind: "fence",
    marks,
    info: { start, end: opening.end },
    lines: lines.slice(1, closed ? -1 : undefined),
    closed,
    from,
    to,
  };
}
