/** Groups lines into pieces that fit one request. */
import type { ImportResponse } from "../../admin/api/imports.ts";
import type { FileLine } from "./sent-lines.ts";
import { importLimits } from "../../admin/api/import-limits.ts";

/** Why a line is refused. */
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
  /** The last line of it. */
  readonly line: number;
  readonly at: number;
  readonly isLast: boolean;
}

const { pieceLinesMax: linesMax } = importLimits;
/** Characters: as a text in JSON it takes up to twice as many, and a request 1 MiB. */
const lengthMax = 400_000;

/** At least one piece; the last one is marked as such. */
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
