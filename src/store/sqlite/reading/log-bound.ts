/**
 * Log bound: limits the size of the write-ahead log while slow reads and writes overlap.
 *
 * SQLite restarts a log only when no reader uses it, and endlessly overlapping reads would prevent
 * that. If the log is long, the next slow read waits for the running ones, which have a time limit.
 * The log is then copied into the file.
 */
import { statSync } from "node:fs";
import type { Connection } from "../connection/connection.ts";

export interface LogBound {
  isLong(): boolean;
  /** Copies the log into the file. Called when no other thread reads the store. */
  fold(): void;
}

export function createLogBound(place: string, connection: Connection, bytesMax: number): LogBound {
  const size = () => statSync(`${place}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  /**
   * The size of the log that couldn't be copied, because another process reads it or a write is
   * open. The next attempt follows when the log has grown by the limit again.
   */
  let left = 0;
  return {
    isLong: () => size() > left + bytesMax,
    fold() {
      left = connection.foldLog() ? 0 : size();
    },
  };
}
