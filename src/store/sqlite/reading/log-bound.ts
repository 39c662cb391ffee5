/**
 * Bounds the write-ahead log while slow reads and writes overlap. SQLite restarts a log only when no reader uses it,
 * and endlessly overlapping reads would prevent that. If the log is long, the next slow read waits for the running
 * ones, which have a deadline. The log is then folded into the file.
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
  /**
   * The part that couldn't be folded, because another process reads it or a write is open. The next attempt follows
   * when the log has grown by as much again.
   */
  let left = 0;
  return {
    isLong: () => size() > left + bytesMax,
    fold() {
      left = connection.foldLog() ? 0 : size();
    },
  };
}
