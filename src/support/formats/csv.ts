/**
 * CSV reader and writer (RFC 4180): comma-separated cells, quoted where needed, with a doubled
 * quote inside quotes.
 */
import { RefusedError } from "../ninefold-error.ts";

export interface CsvCell {
  readonly text: string;
  /** Whether the cell was quoted: `""` is an empty text, while an empty cell has no value. */
  readonly isQuoted: boolean;
}

export interface CsvRow {
  /** The first line of the row in the file, from 1. */
  readonly line: number;
  readonly cells: readonly CsvCell[];
}

/** A syntax error of CSV, with its line. */
export class CsvProblem extends RefusedError {
  override name = "CsvProblem";
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** The maximum length of a row, in characters. */
const csvRowMax = 1024 * 1024;

/**
 * One row with its line end.
 * @param nothing the text for null; an equal text is quoted, like an empty one
 */
export function csvRow(cells: readonly (string | null)[], nothing = ""): string {
  return `${cells.map((cell) => csvCell(cell, nothing)).join(",")}\r\n`;
}

function csvCell(text: string | null, nothing: string): string {
  if (text === null) return nothing;
  return text === "" || text === nothing || /[",\r\n]|^\s|\s$/.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}

/** The rows of a text in pieces, without empty lines. @throws CsvProblem */
export async function* readCsv(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<CsvRow, void, undefined> {
  const reader = new CsvReader();
  for await (const piece of pieces) yield* reader.take(piece);
  yield* reader.end();
}

/**
 * A state machine over characters, because the meaning of a quote depends on the next character,
 * which may be in the next piece.
 */
class CsvReader {
  #state: "before" | "plain" | "quoted" | "quote" = "before";
  #cells: CsvCell[] = [];
  #text = "";
  #line = 1;
  #rowLine = 1;
  #length = 0;
  #afterReturn = false;
  #isFirst = true;

  *take(piece: string): Generator<CsvRow> {
    for (const character of this.#withoutMark(piece)) {
      if (character === "\n" && this.#afterReturn) {
        this.#afterReturn = false;
        continue;
      }
      this.#afterReturn = character === "\r" && this.#state !== "quoted";
      const isEnd = this.#state !== "quoted" && (character === "\n" || character === "\r");
      if (character === "\n" || (character === "\r" && isEnd)) this.#line += 1;
      this.#length += 1;
      if (this.#length > csvRowMax)
        throw new CsvProblem(
          this.#rowLine,
          `The row has more than ${csvRowMax} characters: a quote may be missing.`,
        );
      if (isEnd) yield* this.#endRow();
      else this.#character(character);
    }
  }

  *end(): Generator<CsvRow> {
    if (this.#state === "quoted") throw new CsvProblem(this.#rowLine, "A quoted cell has no closing quote.");
    yield* this.#endRow();
  }

  /** Removes the byte order mark that some programs write. */
  #withoutMark(piece: string): string {
    if (!this.#isFirst || piece === "") return piece;
    this.#isFirst = false;
    return piece.startsWith("\ufeff") ? piece.slice(1) : piece;
  }

  #character(character: string): void {
    switch (this.#state) {
      case "before":
        if (character === '"') this.#state = "quoted";
        else if (character === ",") this.#endCell(false);
        else {
          this.#state = "plain";
          this.#text = character;
        }
        return;
      case "plain":
        if (character === ",") this.#endCell(false);
        else if (character === '"')
          throw new CsvProblem(this.#rowLine, "Unexpected quote in an unquoted cell.");
        else this.#text += character;
        return;
      case "quoted":
        if (character === '"') this.#state = "quote";
        else this.#text += character;
        return;
      case "quote":
        if (character === '"') {
          this.#text += '"';
          this.#state = "quoted";
        } else if (character === ",") this.#endCell(true);
        else
          throw new CsvProblem(this.#rowLine, "Expected a comma or the end of the line after a quoted cell.");
    }
  }

  #endCell(isQuoted: boolean): void {
    this.#cells.push({ text: this.#text, isQuoted });
    this.#text = "";
    this.#state = "before";
  }

  *#endRow(): Generator<CsvRow> {
    const isEmpty = this.#cells.length === 0 && this.#state === "before";
    const line = this.#rowLine;
    if (!isEmpty) this.#endCell(this.#state === "quote");
    const cells = this.#cells;
    this.#cells = [];
    this.#rowLine = this.#line;
    this.#length = 0;
    if (!isEmpty) yield { line, cells };
  }
}
