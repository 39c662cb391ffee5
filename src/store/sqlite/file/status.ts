/**
 * Status of a store's file: its size, the free space of its disk, and what prevents the next
 * change.
 */
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { StoreUnavailable } from "../../errors.ts";
import type { StoreStatus } from "../../store.ts";
import type { OpenFile } from "./open-file.ts";

/**
 * The status of a store for the operator.
 * @param trouble why nothing can be stored at present
 */
export function statusOf(
  { place, connection }: Pick<OpenFile, "place" | "connection">,
  trouble: StoreUnavailable | undefined,
): StoreStatus {
  const kind = "SQLite";
  const reports = trouble?.message ?? null;
  // Only one process uses a file, so it always serves.
  const servingState = "serving";
  if (place === undefined) {
    const bytes = numberOf(connection, "page_count") * numberOf(connection, "page_size");
    return {
      kind,
      path: null,
      bytes,
      logBytes: 0,
      freeBytes: null,
      obstacle: reports,
      servingState,
    };
  }
  return {
    kind,
    path: place,
    bytes: sizeOf(place),
    logBytes: sizeOf(`${place}-wal`),
    freeBytes: freeBytesAt(dirname(place)),
    obstacle: reports,
    servingState,
  };
}

function numberOf(connection: OpenFile["connection"], pragma: string): number {
  return Number(connection.statement(`PRAGMA ${pragma}`).get([])?.[0] ?? 0);
}

/** The size of a file; 0 if it was deleted, which the watch on the file reports. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function freeBytesAt(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
