/**
 * Corrections of cases: `<part>.corrections.md` has, for each code whose hint has no edit, the
 * lines that correct the code's example. A test applies them; the pages of `docs/diagnostics/`
 * print them.
 *
 * A correction is a `diff` block under the heading of its code: a line starts with a space (kept),
 * `-` (removed) or `+` (added). A line `@@` starts another place. The lines that are kept or
 * removed occur once in the document.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Fix } from "../../src/diagnostics/fix.ts";

/** Consecutive lines of one place, each with its mark. */
export type Hunk = readonly string[];

const folder = new URL("./", import.meta.url);

/** Returns the corrections by code. */
export function allCorrections(): ReadonlyMap<string, readonly Hunk[]> {
  const corrections = new Map<string, readonly Hunk[]>();
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".corrections.md")) continue;
    const text = readFileSync(new URL(file, folder), "utf8");
    for (const [, code = "", diff = ""] of text.matchAll(/^## (\S+)\n\n`{3,}diff\n(.*?)\n`{3,}$/gms)) {
      if (corrections.has(code)) throw new Error(`${file}: a second correction of ${code}`);
      corrections.set(code, hunksOf(diff));
    }
  }
  return corrections;
}

function hunksOf(diff: string): readonly Hunk[] {
  return diff.split("\n@@\n").map((lines) => lines.split("\n").map((line) => (line === "" ? " " : line)));
}

/** Returns the corrected text. */
export function corrected(text: string, hunks: readonly Hunk[]): string {
  const lines = text.split("\n");
  const places = hunks.map((hunk) => ({ hunk, place: indexOfHunk(hunk, lines) }));
  // Edits start at the end, so that earlier positions stay valid.
  places.sort((a, b) => b.place - a.place);
  for (const { hunk, place } of places) {
    const found = lines.slice(place, place + withoutAdded(hunk).length);
    lines.splice(place, found.length, ...written(hunk, found));
  }
  return lines.join("\n");
}

/**
 * Returns the index of the first line of a hunk's place.
 * @throws if the place does not occur exactly once
 */
export function indexOfHunk(hunk: Hunk, lines: readonly string[]): number {
  const named = withoutAdded(hunk).map((line) => line.slice(1));
  const places = [...lines.keys()].filter((at) =>
    named.every((line, more) => isLine(lines[at + more], line)),
  );
  const [place] = places;
  if (place === undefined || places.length > 1)
    throw new Error(`The document has these lines ${places.length} times:\n${named.join("\n")}`);
  return place;
}

function withoutAdded(hunk: Hunk): readonly string[] {
  return hunk.filter((line) => !line.startsWith("+"));
}

/**
 * Returns the lines of a place after the correction: kept lines as they were found, and added
 * lines.
 */
function written(hunk: Hunk, found: readonly string[]): readonly string[] {
  const rest = [...found];
  return hunk.flatMap((line) => {
    if (line.startsWith("+")) return [line.slice(1)];
    const [here = ""] = rest.splice(0, 1);
    return line.startsWith("-") ? [] : [here];
  });
}

/** Whether a line is the named one. A long line is named by its beginning, followed by `…`. */
function isLine(line: string | undefined, named: string): boolean {
  return line === named || (named.endsWith("…") && line?.startsWith(named.slice(0, -1)) === true);
}

/** Returns the edit of a hint as a hunk. */
export function hunkOfFix(text: string, { position, text: written }: Fix): Hunk {
  const { start, end } = position;
  const from = text.lastIndexOf("\n", start.offset - 1) + 1;
  const lineEnd = text.indexOf("\n", end.offset);
  const to = lineEnd < 0 ? text.length : lineEnd;
  const before = text.slice(from, to);
  const after = `${text.slice(from, start.offset)}${written}${text.slice(end.offset, to)}`;
  return [...marked("-", before), ...marked("+", after)];
}

function marked(mark: "+" | "-", text: string): readonly string[] {
  return text.split("\n").map((line) => `${mark}${line}`);
}
