/**
 * The lines of a records file as they are sent: each with its position, or with its mistake if it
 * can't be read.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { columnsOfHeader, type ReadLine, readCsvLine, readJsonLine } from "../../engine/admin/read-lines.ts";
import { CsvProblem, readCsv } from "../../support/formats/csv.ts";
import { CliError } from "../command.ts";
import type { RecordsForm } from "./form.ts";
import { messageOf } from "../../support/failure.ts";

/** Maximum length of a line, in characters, because a line is sent in one request. */
const lineMax = 400_000;

export interface FileLine {
  readonly line: number;
  /** The line as it is sent; absent if it can't be read. */
  readonly sent?: string;
  /** Why it can't be read. */
  readonly wrong?: string;
  /** Approximate bytes of the file up to here. */
  readonly at: number;
}

/** @throws CliError */
export async function* linesOfFile(
  file: string,
  form: RecordsForm,
  nothing: string,
): AsyncGenerator<FileLine> {
  const source = { at: 0 };
  const pieces = textOfFile(file, source);
  const lines = form === "csv" ? csvLines(file, pieces, nothing) : jsonLines(file, pieces);
  for await (const line of lines) yield { ...line, at: source.at };
}

/** @throws CliError */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of reading(file)) hash.update(bytes);
  return hash.digest("hex");
}

async function* reading(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of createReadStream(file)) yield bytes as Buffer;
  } catch (error) {
    throw new CliError(`${file} can't be read (${messageOf(error)}).`);
  }
}

async function* textOfFile(file: string, source: { at: number }): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Buffer) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw new CliError(`${file} is not UTF-8 (near byte ${source.at}). Convert it to UTF-8.`);
    }
  };
  for await (const bytes of reading(file)) {
    yield decode(bytes);
    source.at += bytes.length;
  }
  yield decode();
}

type Line = Omit<FileLine, "at">;

async function* jsonLines(file: string, pieces: AsyncIterable<string>): AsyncGenerator<Line> {
  let rest = "";
  let line = 0;
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() as string;
    for (const text of lines) yield* jsonLine(++line, text);
    if (rest.length > lineMax) throw new CliError(`${file}:${line + 1}: ${tooLong}`);
  }
  yield* jsonLine(line + 1, rest);
}

const tooLong = `The line has more than ${lineMax.toLocaleString("en")} characters.`;

function* jsonLine(line: number, text: string): Generator<Line> {
  if (text.length > lineMax) return yield { line, wrong: tooLong };
  const read = readJsonLine(line, text);
  if (read) yield toSend(read);
}

/** The line as it is sent. */
function toSend(read: ReadLine): Line {
  if ("wrong" in read) return read;
  const sent = JSON.stringify(read);
  return sent.length > lineMax ? { line: read.line, wrong: tooLong } : { line: read.line, sent };
}

async function* csvLines(file: string, pieces: AsyncIterable<string>, nothing: string): AsyncGenerator<Line> {
  let columns: readonly string[] | undefined;
  try {
    for await (const row of readCsv(pieces)) {
      if (columns) yield toSend(readCsvLine(row, columns, nothing));
      else columns = columnsOfHeader(row);
    }
  } catch (error) {
    if (error instanceof CsvProblem) throw new CliError(`${file}:${error.line}: ${error.message}`);
    throw error;
  }
}
