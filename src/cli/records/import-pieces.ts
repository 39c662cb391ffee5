/**
 * Resumable import in pieces. Rejected lines are written to a file next to the imported one. After
 * an interruption, the store has recorded up to which line it has imported this very file.
 */
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import type { ImportPieceResponse, ImportPositionResponse } from "../../admin/api/records/imports.ts";
import { counted } from "../../support/quantity.ts";
import { CliError } from "../command.ts";
import { Refused } from "../operations/client.ts";
import { type Piece, piecesOf, type RefusedLine, refusedLineOf } from "./pieces.ts";
import { type FileLine, sha256Of, type linesOfFile } from "./file-lines.ts";
import { messageOf } from "../../support/failure.ts";
import type { Progress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import type { RecordsClient } from "./records-client.ts";

export interface ImportJob {
  readonly client: RecordsClient;
  readonly resource: string;
  readonly file: string;
  readonly bytes: number;
  readonly options: { readonly mode: string; readonly events: boolean };
  lines(): ReturnType<typeof linesOfFile>;
  readonly terminal: Terminal;
  readonly progress: Progress;
}

/** @throws Refused if lines were rejected: the others are stored */
export async function importInPieces(job: ImportJob) {
  const { client, resource, file, terminal, progress } = job;
  const sha256 = await sha256Of(file);
  const place = (await client.send({
    method: "GET",
    path: `/api/import-places/${encodeURIComponent(resource)}`,
    query: { sha256 },
  })) as ImportPositionResponse;
  const refusals = createRefusals(file);
  if (place.line === 0) refusals.begin();
  else {
    terminal.printError(`${file} is stored up to line ${place.line}; the import continues after it.\n`);
    refusals.complete(place.refused.map((item) => refusedLineOf(resource, item)));
  }
  const counts = { made: 0, changed: 0 };
  // Unreadable lines are reported again if the file of rejected lines lacks them, because the store
  // doesn't record them.
  const isLeft = ({ line, wrong }: FileLine) =>
    line > place.line || (wrong !== undefined && !refusals.has(line));
  for await (const piece of piecesOf(filterLines(job.lines(), isLeft))) {
    const answer = (await client.send({
      method: "POST",
      path: `/api/import-pieces/${encodeURIComponent(resource)}`,
      body: {
        ...job.options,
        lines: piece.sent.join("\n"),
        sha256,
        line: Math.max(place.line, piece.line),
        last: piece.isLast,
      },
    })) as ImportPieceResponse;
    counts.made += answer.made;
    counts.changed += answer.changed;
    refusals.add([...piece.wrong, ...answer.refused.map((item) => refusedLineOf(resource, item))], piece);
    progress.update(piece.at, job.bytes);
  }
  progress.end();
  const refused = refusals.count();
  if (refused === 0) return counts;
  throw new Refused(
    `${counted(counts.made + counts.changed, "line")} of ${file} stored, ${refused} rejected: they are in ${refusals.file}.`,
  );
}

async function* filterLines(
  lines: AsyncIterable<FileLine>,
  isLeft: (line: FileLine) => boolean,
): AsyncGenerator<FileLine> {
  for await (const line of lines) if (isLeft(line)) yield line;
}

interface Refusals {
  readonly file: string;
  begin(): void;
  /** The rejected lines of a piece whose response may have been lost. */
  complete(refused: readonly RefusedLine[]): void;
  has(line: number): boolean;
  add(refused: readonly RefusedLine[], piece: Piece): void;
  count(): number;
}

function createRefusals(of: string): Refusals {
  const file = `${of}.refused.jsonl`;
  let count = 0;
  let kept: ReadonlySet<number> = new Set();
  const append = (refused: readonly RefusedLine[], sent: ReadonlyMap<number, unknown>) => {
    const lines = refused.map(
      ({ line, why }) => `${JSON.stringify({ line, why, record: sent.get(line) })}\n`,
    );
    count += lines.length;
    try {
      if (lines.length > 0) appendFileSync(file, lines.join(""), { mode: 0o600 });
    } catch (error) {
      throw new CliError(`${file} can't be written (${messageOf(error)}).`);
    }
  };
  return {
    file,
    begin: () => rmSync(file, { force: true }),
    complete(refused) {
      kept = existsSync(file) ? linesIn(readFileSync(file, "utf8")) : new Set<number>();
      count = kept.size;
      append(
        refused.filter(({ line }) => !kept.has(line)),
        new Map(),
      );
    },
    has: (line) => kept.has(line),
    add: (refused, { sent }) => append(refused, refused.length === 0 ? new Map() : recordsOf(sent)),
    count: () => count,
  };
}

function linesIn(text: string): Set<number> {
  return new Set(Array.from(text.matchAll(/^\{"line":(\d+)/gm), ([, line]) => Number(line)));
}

function recordsOf(sent: readonly string[]): ReadonlyMap<number, unknown> {
  return new Map(
    sent.map((text) => {
      const { line, fields, cells } = JSON.parse(text);
      return [line, fields ?? cells];
    }),
  );
}
