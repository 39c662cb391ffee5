/** Groups lines into pieces that fit one request. */
import type { ImportResponse } from "../../admin/api/records/imports.ts";
import type { FileLine } from "./file-lines.ts";
import { importLimits } from "../../admin/api/records/import-limits.ts";

/** A rejected line and its reason. */
export interface RefusedLine {
  readonly line: number;
  readonly why: string;
}

export function refusedLineOf(
  resource: string,
  { line, errors }: ImportResponse["refused"][number],
): RefusedLine {
  const words = errors.map(
    ({ field, message }) => `${resource}${field === "" ? ":" : `.${field}`} ${message}`,
  );
  return { line, why: words.join("; ") };
}

export interface Piece {
  readonly sent: readonly string[];
  readonly wrong: readonly RefusedLine[];
  /** The last line of the piece. */
  readonly line: number;
  readonly at: number;
  readonly isLast: boolean;
}

const { pieceLinesMax: linesMax } = importLimits;
/**
 * In characters: JSON encodes a character with up to two bytes here, and a request may have 1 MiB.
 */
const lengthMax = 400_000;

/** Yields at least one piece; the last one is marked. */
export async function* piecesOf(lines: AsyncIterable<FileLine>): AsyncGenerator<Piece> {
  let sent: string[] = [];
  let wrong: RefusedLine[] = [];
  let length = 0;
  let last = { line: 0, at: 0 };
  for await (const line of lines) {
    const size = bytesIn(line.sent ?? "");
    if (sent.length + wrong.length >= linesMax || length + size > lengthMax) {
      yield { sent, wrong, ...last, isLast: false };
      sent = [];
      wrong = [];
      length = 0;
    }
    if (line.sent !== undefined) sent.push(line.sent);
    else wrong.push({ line: line.line, why: line.wrong ?? "" });
    length += size;
    last = { line: line.line, at: line.at };
  }
  yield { sent, wrong, ...last, isLast: true };
}

function bytesIn(text: string): number {
  return Buffer.byteLength(text);
}
