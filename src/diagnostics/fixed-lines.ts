/** The lines that an edit changes, before and after it. */
import { lineText, type Source } from "../source/source.ts";
import type { Fix } from "./fix.ts";

export interface FixedLines {
  /** The number of the first line. */
  readonly line: number;
  readonly before: readonly string[];
  /** None where the edit removes the lines. */
  readonly after: readonly string[];
}

/** Leaves out lines at both ends that stay the same. */
export function fixedLines(source: Source, { position, text }: Fix): FixedLines {
  const { start, end } = position;
  const before: string[] = [];
  for (let line = start.line; line <= end.line; line += 1) before.push(lineText(source, line));
  const [first = ""] = before;
  const rest = (before.at(-1) ?? "").slice(end.column - 1);
  const after = `${first.slice(0, start.column - 1)}${text}${rest}`.split(/\r?\n/);
  let line = start.line;
  while (before.length > 0 && before[0] === after[0]) {
    before.shift();
    after.shift();
    line += 1;
  }
  while (before.length > 0 && before.at(-1) === after.at(-1)) {
    before.pop();
    after.pop();
  }
  return { line, before, after };
}
