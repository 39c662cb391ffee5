/**
 * Chunks of a document: the text from one heading of the first three levels to the next. The
 * meaning of a chunk's lines depends only on its text and its part, so an edit affects one chunk.
 */
import { type PartName, partNames, partTitles } from "../syntax/nodes.ts";

export interface Chunk {
  readonly part: PartName | undefined;
  /** The text of the level-3 heading; empty in a chunk of another heading. */
  readonly section: string;
  readonly text: string;
  /** The offset of the text in the document. */
  readonly start: number;
}

export const fenceForm = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/;
export const headingForm = /^ {0,3}(#{1,6})(?:\s+(.*))?$/;

export function partTitled(title: string): PartName | undefined {
  const wanted = title.trim().toLowerCase();
  return partNames.find((name) => partTitles[name].toLowerCase() === wanted);
}

/** The line that closes a fence with this opening mark. */
export function closingForm(mark: string, flags = ""): RegExp {
  return new RegExp(`^ {0,3}${mark.charAt(0)}{${mark.length},}[ \\t]*\\r?$`, flags);
}

/** All chunks of a text in order, which together are the whole text. */
export function chunksOf(text: string): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let opened: Pick<Chunk, "part" | "section" | "start"> = { part: undefined, section: "", start: 0 };
  let closing: RegExp | undefined;
  let start = 0;
  for (const line of text.split("\n")) {
    const written = line.endsWith("\r") ? line.slice(0, -1) : line;
    const fence = closing === undefined ? fenceForm.exec(written) : null;
    if (fence) closing = closingForm(fence[1] ?? "");
    else if (closing?.test(written)) closing = undefined;
    else if (closing === undefined) {
      const [, marks = "", title = ""] = headingForm.exec(written) ?? [];
      if (marks !== "" && marks.length <= 3) {
        chunks.push({ ...opened, text: text.slice(opened.start, start) });
        opened = {
          part: marks.length === 2 ? partTitled(title) : opened.part,
          section: marks.length === 3 ? title.trim() : "",
          start,
        };
      }
    }
    start += line.length + 1;
  }
  chunks.push({ ...opened, text: text.slice(opened.start) });
  return chunks;
}

/** The chunk that contains an offset; a heading's line belongs to the chunk that it opens. */
export function chunkAt(chunks: readonly Chunk[], offset: number): Chunk {
  const found = chunks.findLast(({ start }) => start <= offset);
  return found ?? { part: undefined, section: "", text: "", start: 0 };
}
