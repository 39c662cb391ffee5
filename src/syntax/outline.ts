/** Outline of a document: its nine parts and their sections, and the mistakes of its headings. */
import { nonNull } from "../support/non-null.ts";
import type { Reporter } from "../diagnostics/diagnostic.ts";
import { type Phrase, positionIn, slice, trim } from "../source/phrase.ts";
import { type Position, positionOf, type Source } from "../source/source.ts";
import { nearest } from "../support/nearest.ts";
import { readBlocksOf } from "./blocks.ts";
import {
  type DocumentNode,
  itemsOfParts,
  type PartName,
  type PartNode,
  partNames,
  partTitles,
  type Section,
} from "./nodes.ts";
import type { Line, RawBlock, RawFence, RawHeading } from "./raw-block.ts";
import { joinLines } from "./raw-phrase.ts";
import { keyText } from "./read.ts";
import { intendedPart } from "./intended-part.ts";

export function outline(source: Source, blocks: readonly RawBlock[], reporter: Reporter): DocumentNode {
  const [before, ...chapters] = splitAt(
    blocks.map((block) => asPart(source, block)),
    2,
  );
  const { name, rest } = readTitle(source, blocks, before?.blocks ?? [], reporter);
  const intro = readBlocksOf(source, rest, reporter);
  for (const block of intro) {
    if (block.kind !== "item" && block.kind !== "table") continue;
    reporter.report("document/outside-parts", block.position, { what: block.kind });
  }
  const parts: Partial<Record<PartName, PartNode>> = {};
  for (const { part, chapter } of identifyParts(source, chapters, reporter)) {
    parts[part] = readPart(source, part, chapter, reporter);
  }
  return { source, name, intro, parts };
}

// ── Title ───────────────────────────────────────────────────────────────────────────────────────

function readTitle(
  source: Source,
  all: readonly RawBlock[],
  before: readonly RawBlock[],
  reporter: Reporter,
) {
  const [title, ...further] = all.filter(
    (block) => block.kind === "heading" && block.level === 1,
  ) as RawHeading[];
  const rest = before.filter((block) => block !== title);
  if (!title) {
    reporter.report("document/missing-title", positionOf(source, 0, 0), {});
    return { name: undefined, rest };
  }
  for (const heading of further) {
    const text = headingOf(source, heading);
    const related = [{ position: positionIn(headingOf(source, title)), message: "First defined here." }];
    const part = partTitled(text);
    reporter.report(
      "document/second-title",
      positionIn(text),
      { text: text.text, part: part && partTitles[part] },
      related,
    );
  }
  const heading = headingOf(source, title);
  const match = /^interface\s+specification\s*:/i.exec(heading.text);
  const name = match ? trim(slice(heading, match[0].length)) : undefined;
  if (!name || name.text === "") {
    reporter.report("document/unreadable-title", positionIn(heading), { text: heading.text });
    return { name: undefined, rest };
  }
  return { name, rest };
}

// ── Parts ───────────────────────────────────────────────────────────────────────────────────────

/** A heading and its content. The first chapter has no heading. */
interface Chapter {
  readonly heading: RawHeading | undefined;
  readonly blocks: readonly RawBlock[];
}

interface FoundPart {
  readonly part: PartName;
  readonly chapter: Chapter;
}

function splitAt(blocks: readonly RawBlock[], level: number): Chapter[] {
  const chapters: { heading: RawHeading | undefined; blocks: RawBlock[] }[] = [
    { heading: undefined, blocks: [] },
  ];
  for (const block of blocks) {
    if (block.kind === "heading" && block.level === level) chapters.push({ heading: block, blocks: [] });
    else chapters.at(-1)?.blocks.push(block);
  }
  return chapters;
}

/**
 * A level-1 heading with the title of a part is read as that part. Only its level is reported, not
 * its content again.
 */
function asPart(source: Source, block: RawBlock): RawBlock {
  if (block.kind !== "heading" || block.level !== 1) return block;
  return partTitled(headingOf(source, block)) === undefined ? block : { ...block, level: 2 };
}

function partTitled(heading: Phrase): PartName | undefined {
  return partNames.find((name) => partTitles[name].toLowerCase() === keyText(heading));
}

function identifyParts(source: Source, chapters: readonly Chapter[], reporter: Reporter): FoundPart[] {
  const titles = Object.values(partTitles);
  const found: FoundPart[] = [];
  const unknown: Chapter[] = [];
  for (const chapter of chapters) {
    const heading = headingOf(source, chapter.heading as RawHeading);
    const part = partTitled(heading);
    if (part === undefined) {
      unknown.push(chapter);
      continue;
    }
    const first = found.find((earlier) => earlier.part === part);
    if (!first) found.push({ part, chapter });
    else {
      const related = [
        {
          position: positionIn(headingOf(source, first.chapter.heading as RawHeading)),
          message: "First defined here.",
        },
      ];
      reporter.report("document/duplicate-part", positionIn(heading), { title: partTitles[part] }, related);
    }
  }
  // A part under a misspelt heading is read as the part that is meant, so that one slip is reported
  // once and not thirty times.
  for (const chapter of unknown) {
    const heading = headingOf(source, chapter.heading as RawHeading);
    const missing = partNames.filter((name) => !found.some((foundPart) => foundPart.part === name));
    const part = intendedPart(heading.text, missing);
    reporter.report("document/unknown-part", positionIn(heading), {
      text: heading.text,
      nearest: part ? partTitles[part] : nearest(heading.text, titles),
      titles,
    });
    if (part !== undefined) found.push({ part, chapter });
  }
  found.sort((a, b) => (a.chapter.heading as RawHeading).from - (b.chapter.heading as RawHeading).from);
  reportMissing(source, chapters, found, reporter);
  reportMisplaced(source, found, reporter);
  return found;
}

function reportMissing(
  source: Source,
  chapters: readonly Chapter[],
  found: readonly FoundPart[],
  reporter: Reporter,
): void {
  if (found.length === 0) {
    reporter.report("document/no-parts", positionOf(source, 0, 0), { titles: Object.values(partTitles) });
    return;
  }
  partNames.forEach((part, index) => {
    if (found.some((foundPart) => foundPart.part === part)) return;
    const next = found.find((foundPart) => partNames.indexOf(foundPart.part) > index);
    const end = source.text.trimEnd().length;
    const position: Position = next
      ? positionIn(headingOf(source, next.chapter.heading as RawHeading))
      : positionOf(source, end, end);
    const fence = fenceAround(source, chapters, part);
    reporter.report(
      "document/missing-part",
      position,
      {
        title: partTitles[part],
        items: itemsOfParts[part].map((item) => item.slice(0, 1).toUpperCase() + item.slice(1)),
        before: next && partTitles[next.part],
        isFenced: fence !== undefined,
      },
      fence && [{ position: positionOfLine(source, fence.from), message: "That block opens here." }],
    );
  });
}

/**
 * The fenced block that contains the heading of a part: a block that was never closed, or a closing fence without an
 * opening one.
 */
function fenceAround(source: Source, chapters: readonly Chapter[], part: PartName): RawFence | undefined {
  const title = partTitles[part].toLowerCase();
  const isHeading = ({ start, end }: Line): boolean => {
    const match = /^##\s+(.*?)\s*#*$/.exec(source.text.slice(start, end));
    return match?.[1]?.toLowerCase() === title;
  };
  return chapters
    .flatMap(({ blocks }) => blocks)
    .find((block): block is RawFence => block.kind === "fence" && block.lines.some(isHeading));
}

/** Reports the smallest number of parts to move: all but the longest run that is in order. */
function reportMisplaced(source: Source, found: readonly FoundPart[], reporter: Reporter): void {
  const runs: number[][] = [];
  found.forEach((part, index) => {
    let best: number[] = [];
    for (const run of runs) {
      const last = found[nonNull(run.at(-1))] as FoundPart;
      if (partNames.indexOf(last.part) < partNames.indexOf(part.part) && run.length > best.length) best = run;
    }
    runs.push([...best, index]);
  });
  const kept = runs.reduce<number[]>((longest, run) => (run.length > longest.length ? run : longest), []);
  found.forEach((part, index) => {
    if (kept.includes(index)) return;
    const before = partNames[partNames.indexOf(part.part) - 1];
    const position = positionIn(headingOf(source, part.chapter.heading as RawHeading));
    reporter.report("document/misplaced-part", position, {
      title: partTitles[part.part],
      after: before && partTitles[before],
    });
  });
}

function readPart(source: Source, part: PartName, chapter: Chapter, reporter: Reporter): PartNode {
  const [body, ...sections] = splitAt(chapter.blocks, 3);
  return {
    part,
    heading: headingOf(source, chapter.heading as RawHeading),
    body: readBlocksOf(source, body?.blocks ?? [], reporter),
    sections: sections.flatMap((section) => readSection(source, section, reporter)),
    position: positionOfChapter(source, chapter),
  };
}

function readSection(source: Source, chapter: Chapter, reporter: Reporter): Section[] {
  const heading = headingOf(source, chapter.heading as RawHeading);
  const body = readBlocksOf(source, chapter.blocks, reporter);
  if (heading.text === "") {
    reporter.report(
      "document/empty-heading",
      positionOfLine(source, (chapter.heading as RawHeading).from),
      {},
    );
    return [];
  }
  return [{ heading, body, position: positionOfChapter(source, chapter) }];
}

function headingOf(source: Source, heading: RawHeading): Phrase {
  return joinLines(source, heading.lines, " ");
}

function positionOfChapter(source: Source, chapter: Chapter): Position {
  const first = chapter.heading as RawHeading;
  const last = chapter.blocks.at(-1) ?? first;
  const { start } = positionOfLine(source, first.from);
  return { start, end: positionOfLine(source, last.to - 1).end };
}

function positionOfLine(source: Source, line: number): Position {
  const start = source.lineStarts[line] as number;
  const text = source.text.slice(start, source.lineStarts[line + 1]);
  return positionOf(source, start, start + text.trimEnd().length);
}
