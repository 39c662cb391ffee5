/** Line changes between two texts: a diff as positions with the old and new lines. */

export interface LineChange {
  /**
   * The line in the old text, from 1: the first replaced line, or the line before which lines are
   * added.
   */
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** How many lines ahead equal lines are searched; a longer rewrite is one change. */
const lookAhead = 400;

export function lineChanges(old: string, now: string): readonly LineChange[] {
  const [before, after] = [old.split("\n"), now.split("\n")];
  const changes: LineChange[] = [];
  let [at, to] = [0, 0];
  while (at < before.length || to < after.length) {
    if (at < before.length && to < after.length && before[at] === after[to]) {
      at += 1;
      to += 1;
      continue;
    }
    const [skipped, added] = nextEqual(before, after, at, to);
    const removed = before.slice(at, at + skipped);
    const written = after.slice(to, to + added);
    while (removed.length > 0 && removed.at(-1) === written.at(-1)) {
      removed.pop();
      written.pop();
    }
    changes.push({ line: at + 1, before: removed, after: written });
    at += skipped;
    to += added;
  }
  return changes;
}

/** The minimum numbers of lines to skip in both texts until they are equal again. */
function nextEqual(
  before: readonly string[],
  after: readonly string[],
  at: number,
  to: number,
): readonly [skipped: number, added: number] {
  for (let both = 1; both <= lookAhead; both += 1) {
    for (let skipped = 0; skipped <= both; skipped += 1) {
      const [line, newLine] = [before[at + skipped], after[to + both - skipped]];
      if (line !== undefined && line === newLine && isCertain(line)) return [skipped, both - skipped];
    }
  }
  return [before.length - at, after.length - to];
}

/** Whether a line is distinctive. Empty lines occur everywhere. */
function isCertain(line: string): boolean {
  return line.trim() !== "";
}
