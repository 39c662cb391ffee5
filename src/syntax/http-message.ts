/** Lines of an `http` block: start line, headers, body. Part 1 validates them. */
import { type Phrase, slice, trim } from "../source/phrase.ts";

export interface HttpMessage {
  readonly startLine: Phrase;
  /** The lines before the first empty line. */
  readonly headerLines: readonly Phrase[];
  /** The content after the empty line, without surrounding blanks. Absent if there is none. */
  readonly body?: Phrase;
}

export function readHttpMessage(content: Phrase): HttpMessage {
  const lines = linesOf(content);
  const first = Math.max(
    0,
    lines.findIndex((line) => line.text.trim() !== ""),
  );
  const startLine = trim(lines[first] ?? slice(content, 0, 0));
  const empty = lines.findIndex((line, index) => index > first && line.text.trim() === "");
  const headerLines = lines.slice(first + 1, empty === -1 ? undefined : empty).map(trim);
  if (empty === -1) return { startLine, headerLines };
  const before = lines.slice(0, empty + 1).reduce((length, line) => length + line.text.length + 1, 0);
  const body = trim(slice(content, Math.min(before, content.text.length)));
  return body.text === "" ? { startLine, headerLines } : { startLine, headerLines, body };
}

/** A response begins with its protocol; everything else is a request. */
export function isResponse(message: HttpMessage): boolean {
  return /^HTTP(\/|\s|$)/i.test(message.startLine.text);
}

function linesOf(content: Phrase): Phrase[] {
  const lines: Phrase[] = [];
  let from = 0;
  for (let at = content.text.indexOf("\n"); at !== -1; at = content.text.indexOf("\n", from)) {
    lines.push(slice(content, from, at));
    from = at + 1;
  }
  lines.push(slice(content, from));
  return lines;
}
