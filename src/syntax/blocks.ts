/** Items, tables and fenced blocks from Markdown blocks. Everything else is prose. */
import type { Reporter } from "../diagnostics/diagnostic.ts";
import { type Phrase, positionIn } from "../source/phrase.ts";
import { positionOf, type Source } from "../source/source.ts";
import { readItem } from "./item.ts";
import { countCells, isRowOfDashes } from "./markdown-table.ts";
import type { Block, FenceNode, ItemNode, ProseNode } from "./nodes.ts";
import type { Line, RawBlock, RawFence, RawList, RawListItem, RawParagraph } from "./raw-block.ts";
import { joinLines, rawLines } from "./raw-phrase.ts";
import { readTable } from "./table.ts";

export function readBlocksOf(source: Source, raw: readonly RawBlock[], reporter: Reporter): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < raw.length; at += 1) {
    const block = raw[at] as RawBlock;
    if (block.kind !== "list") {
      blocks.push(...readBlock(source, block, reporter));
      continue;
    }
    const items = readList(source, block, reporter);
    const last = items.at(-1);
    const next = raw[at + 1];
    // `- Payload shape:` and, below the list, the block that is its value.
    if (next?.kind === "fence" && last?.kind === "item" && last.value.text === "" && !last.fence) {
      items[items.length - 1] = withFence(last, readFence(source, next, reporter));
      at += 1;
    }
    blocks.push(...items);
  }
  return blocks;
}

function readBlock(source: Source, block: Exclude<RawBlock, RawList>, reporter: Reporter): Block[] {
  switch (block.kind) {
    case "table":
      return [readTable(source, block, reporter)];
    case "fence":
      return [readFence(source, block, reporter)];
    case "paragraph":
      reportBrokenTable(source, block, reporter);
      return [prose(joinLines(source, block.lines, "\n"))];
    case "rule":
      return [];
    case "heading":
      // The title is read elsewhere, and a second title is reported there.
      return block.level === 1 ? [] : [prose(rawLines(source, block.from, block.to))];
    case "html": {
      const text = rawLines(source, block.from, block.to);
      if (text.text.trimStart().startsWith("<!--")) return [];
      reporter.report("document/html", positionIn(text), {});
      return [prose(text)];
    }
    default:
      return [prose(rawLines(source, block.from, block.to))];
  }
}

// ── Lists ───────────────────────────────────────────────────────────────────────────────────────

function readList(source: Source, list: RawList, reporter: Reporter): Block[] {
  if (list.ordered) return [prose(rawLines(source, list.from, list.to))];
  const blocks: Block[] = [];
  let proseFrom = -1;
  for (const listItem of list.items) {
    const item = readItem(source, listItem, reporter);
    if (!item) {
      if (proseFrom === -1) proseFrom = listItem.from;
      continue;
    }
    if (proseFrom !== -1) blocks.push(prose(rawLines(source, proseFrom, listItem.from)));
    proseFrom = -1;
    blocks.push(...itemWithContent(source, item, listItem, reporter));
  }
  if (proseFrom !== -1) blocks.push(prose(rawLines(source, proseFrom, list.to)));
  return blocks;
}

/** Other indented content of a list item: a fenced block belongs to an item with an empty value, and the rest comes after it. */
function itemWithContent(source: Source, item: ItemNode, listItem: RawListItem, reporter: Reporter): Block[] {
  const [, next, ...others] = listItem.blocks;
  if (!next) return [item];
  if (next.kind === "fence" && item.value.text === "") {
    return [withFence(item, readFence(source, next, reporter)), ...readNested(source, others, reporter)];
  }
  return [item, ...readNested(source, [next, ...others], reporter)];
}

/** Nested lists are description. All other content of a list item is read as if it stood below the item. */
function readNested(source: Source, raw: readonly RawBlock[], reporter: Reporter): Block[] {
  return raw.flatMap((block) =>
    block.kind === "list"
      ? [prose(rawLines(source, block.from, block.to))]
      : readBlock(source, block, reporter),
  );
}

function withFence(item: ItemNode, fence: FenceNode): ItemNode {
  const position = { start: item.position.start, end: fence.position.end };
  return { ...item, fence, position };
}

// ── Fenced blocks and prose ─────────────────────────────────────────────────────────────────────

function readFence(source: Source, fence: RawFence, reporter: Reporter): FenceNode {
  const marks = source.text.slice(fence.marks.start, fence.marks.end);
  if (!fence.closed) {
    reporter.report("document/unclosed-fence", positionOf(source, fence.marks.start, fence.info.end), {
      fence: marks,
    });
  }
  const first = fence.lines[0];
  const content =
    first === undefined
      ? joinLines(source, [{ start: fence.info.end, end: fence.info.end }], "\n")
      : joinLines(source, fence.lines, "\n");
  const last = fence.lines.at(-1) ?? fence.info;
  // A closing line of marks follows the last line of content.
  const end = fence.closed ? rawLines(source, fence.to - 1, fence.to) : undefined;
  return {
    kind: "fence",
    language: (
      /^\S*/.exec(source.text.slice(fence.info.start, fence.info.end)) as RegExpExecArray
    )[0].toLowerCase(),
    content,
    position: positionOf(source, fence.marks.start, end ? end.start + end.text.trimEnd().length : last.end),
  };
}

function prose(text: Phrase): ProseNode {
  return { kind: "prose", text };
}

/**
 * Reports two lines that look like a table but have different numbers of cells. Markdown reads them as text, which
 * authors would not notice.
 */
function reportBrokenTable(source: Source, paragraph: RawParagraph, reporter: Reporter): void {
  paragraph.lines.forEach((line, index) => {
    const above = paragraph.lines[index - 1];
    if (!above) return;
    const dashes = textOf(source, line);
    const heading = textOf(source, above);
    if (!dashes.includes("|") || !heading.includes("|") || !isRowOfDashes(dashes)) return;
    reporter.report("document/broken-table", positionOf(source, line.start, line.end), {
      columns: countCells(heading),
      dashes: countCells(dashes),
    });
  });
}

function textOf(source: Source, line: Line): string {
  return source.text.slice(line.start, line.end);
}
