/**
 * Nearest known name, for "did you mean" hints. The number of candidates is bounded, so that a
 * document full of misspelt names doesn't take quadratic time.
 */
const candidatesMax = 500;

/** Observes each compared name with the known names at its position. */
type Observer = (name: string, known: readonly string[]) => void;

let observer: Observer | undefined;

/**
 * Runs `work` and passes each comparison to `onCompared`. The names that an editor completes at a
 * position are those that `check` compares there, so an editor needs no list of its own.
 */
export function observeNearest<T>(onCompared: Observer, work: () => T): T {
  const outer = observer;
  observer = onCompared;
  try {
    return work();
  } finally {
    observer = outer;
  }
}

/**
 * The known name with the smallest edit distance (Damerau-Levenshtein, optimal string alignment),
 * or undefined if none is near.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (!observer) return nearestAmong(name, known);
  const all = [...known];
  observer(name, all);
  return nearestAmong(name, all);
}

function nearestAmong(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase().slice(0, 64);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  let compared = 0;
  for (const candidate of known) {
    compared += 1;
    if (compared > candidatesMax) break;
    const distance = editDistance(wanted, candidate.toLowerCase().slice(0, 64), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return bound;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] as number) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
}
