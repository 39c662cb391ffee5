/**
 * Journal budget: the memory for the headers and bodies in all journals of a process. When it is
 * full, the oldest texts of any journal are dropped.
 */
import type { JournalEntry } from "./journal-entry.ts";

export interface JournalBudget {
  take(request: JournalEntry, bytes: number): void;
  /** Drops the texts of a request and returns their bytes to the budget. */
  release(request: JournalEntry): void;
}

/**
 * The budget of all data spaces together, in bytes. The journal shows older requests beyond it
 * without their headers and bodies.
 */
export const keptBytesMax = 32 * 1024 * 1024;

/** Largest number of dropped entries in the queue before the queue is rebuilt. */
const releasedMax = 2048;

export function createJournalBudget(bytesMax: number = keptBytesMax): JournalBudget {
  let bytes = 0;
  let released = 0;
  let first = 0;
  /** The entries in the order of arrival, from `first` on. */
  let line: JournalEntry[] = [];

  const give = (request: JournalEntry) => {
    request.texts = null;
    bytes -= request.keptBytes;
  };

  const tidy = () => {
    if (first + released <= releasedMax) return;
    line = line.slice(first).filter(({ texts }) => texts !== null);
    first = 0;
    released = 0;
  };

  return {
    take(request, size) {
      request.keptBytes = size;
      line.push(request);
      bytes += size;
      while (bytes > bytesMax && first < line.length) {
        const oldest = line[first] as JournalEntry;
        first += 1;
        if (oldest.texts) give(oldest);
        else released -= 1;
      }
      tidy();
    },
    release(request) {
      if (!request.texts) return;
      give(request);
      released += 1;
      tidy();
    },
  };
}
