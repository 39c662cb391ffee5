/**
 * How long the write-ahead log may become while slow reads go on beside changes. A log is begun anew only when nobody reads it, and reads
 * that overlap for ever would keep that from ever being so: where it is long, the next slow read waits until those under way are over
 * (which their deadline bounds), and the log is folded into the file before it begins.
 */
import { statSync } from "node:fs";
import type { Connection } from "../connection.ts";

export interface LogBound {
  isLong(): boolean;
  /** Called when no other thread reads the store. */
  fold(): void;
}

export function createLogBound(place: string, connection: Connection, bytesMax: number): LogBound {
  const size = () => statSync(`${place}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  /** What couldn't be folded, for another process reads it or a write is open: asked again when as much has come on top. */
  let left = 0;
  return {
    isLong: () => size() > left + bytesMax,
    fold() {
      left = connection.foldLog() ? 0 : size();
    },
  };
}
