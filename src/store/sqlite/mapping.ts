/**
 * How much of a store's file is read as memory (`mmap`) instead of being copied into the page cache. A read by key in a large file then
 * costs a third less, and a commit nothing more: of a larger page cache each commit that splits an index page looks through all
 * (`bench/read-by-key.ts` measures both). The memory is the system's own copy of the file, which it takes back where it is needed.
 * The price: where the disk can't give a part that is mapped, or somebody cuts the file short, the system ends the process.
 */
import { totalmem } from "node:os";

export const mappingLimits = {
  /** SQLite maps no more of a file. */
  mostBytes: 2 * 1024 ** 3 - 64 * 1024,
  /** Of the machine's memory, one part in so many. */
  memoryShare: 2,
} as const;

export function mappedBytesFor(memoryBytes: number = totalmem()): number {
  return Math.min(mappingLimits.mostBytes, Math.floor(memoryBytes / mappingLimits.memoryShare));
}
