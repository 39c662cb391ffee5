/**
 * What the journals of a process may keep of headers and bodies together: the oldest makes room,
 * whosever it is.
 */
import type { NotedRequest } from "./noted-request.ts";

export interface JournalBudget {
  take(request: NotedRequest, bytes: number): void;
  /** Drops its texts, which are no longer counted. */
  release(request: NotedRequest): void;
}

/**
 * For all data spaces together, in bytes. Older requests beyond it are shown without their headers
 * and bodies.
 */
export const keptBytesMax = 32 * 1024 * 1024;

/** The number of dropped entries in the queue before the queue is rebuilt. */
const releasedMax = 2048;

export function createJournalBudget(bytesMax: number = keptBytesMax): JournalBudget {
  let bytes = 0;
  let released = 0;
  let first = 0;
  /** In the order of their coming, from `first` on. */
  let line: NotedRequest[] = [];

  const give = (request: NotedRequest) => {
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
        const oldest = line[first] as NotedRequest;
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
