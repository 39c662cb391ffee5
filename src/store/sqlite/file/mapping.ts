/**
 * Memory mapping: how much of a store's file is mapped (`mmap`), and not copied into the page
 * cache.
 *
 * A read by key in a large file then costs a third less, and a commit costs no more. A larger page
 * cache would cost more: each commit that splits an index page scans all of it
 * (`bench/read-by-key.ts` measures both). The mapped memory is the system's own copy of the file,
 * which it can reclaim.
 *
 * A file that fits into the page cache is not mapped, because a page of 20 records then costs a
 * sixth less. The price of mapping: if the disk can't read a mapped part, or the file is truncated,
 * the system kills the process.
 */
import { totalmem } from "node:os";
import { type Connection, cacheBytes } from "../connection/connection.ts";
import { sizeOf } from "./file-location.ts";

export const mappingLimits = {
  /** The maximum that SQLite maps of a file, in bytes. */
  mostBytes: 2 * 1024 ** 3 - 64 * 1024,
  /** The mapped size is at most the machine's memory divided by this number. */
  memoryShare: 2,
} as const;

/** The maximum that is mapped of a file, in bytes, for a machine with this memory. */
export function mappedBytesFor(memoryBytes: number = totalmem()): number {
  return Math.min(mappingLimits.mostBytes, Math.floor(memoryBytes / mappingLimits.memoryShare));
}

/** Determines how much of one file its connections map while it grows. */
export class Mapping {
  readonly #place: string;
  readonly #requested: number | undefined;
  #mapped: number | undefined;

  /** @param requested the size that the operator configured for a file of any size, in bytes */
  constructor(place: string, requested: number | undefined) {
    this.#place = place;
    this.#requested = requested;
  }

  /** The mapped size of a connection that is opened now, in bytes. */
  get bytes(): number {
    if (this.#requested !== undefined) return this.#requested;
    return sizeOf(this.#place) > cacheBytes ? mappedBytesFor() : 0;
  }

  /**
   * Lets an open connection map as much as a new one. Called periodically, because the file grows.
   */
  follow(connection: Connection): void {
    if (this.#mapped) return;
    this.#mapped = this.bytes;
    if (this.#mapped > 0) connection.map(this.#mapped);
  }
}
