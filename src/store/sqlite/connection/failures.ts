/**
 * Failures of SQLite: classifies errors as a violated constraint, a full disk or a failing one, and
 * converts them to the store's errors.
 */
import { StoreUnavailable } from "../../errors.ts";
import { codeOf, messageOf } from "../../../support/failure.ts";

/** Primary result codes: the low byte of an extended code. */
const code = {
  busy: 5,
  locked: 6,
  outOfMemory: 7,
  readonly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  constraint: 19,
  notADatabase: 26,
};

/** Extended result codes. */
const extended = { foreignKey: 787, primaryKey: 1555, unique: 2067 };

/**
 * Extended codes of I/O errors while the WAL's shared memory grows, before any part of the change
 * is written. They mean a full disk.
 */
const ioErrorsBeforeWriting: ReadonlySet<number> = new Set([4618, 4874, 5130, 5386]);

/** The extended result code of an SQLite error; undefined for any other error. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || codeOf(error) !== "ERR_SQLITE_ERROR") return undefined;
  const found = "errcode" in error ? error.errcode : undefined;
  return typeof found === "number" ? found : undefined;
}

function isPrimary(error: unknown, ...codes: readonly number[]): boolean {
  const found = sqliteCode(error);
  return found !== undefined && codes.includes(found & 0xff);
}

export const isBusy = (error: unknown): boolean => isPrimary(error, code.busy, code.locked);
export const isNotADatabase = (error: unknown): boolean => isPrimary(error, code.notADatabase);
export const isCorrupt = (error: unknown): boolean => isPrimary(error, code.corrupt);
export const isFull = (error: unknown): boolean => isPrimary(error, code.full);
export const isCantOpen = (error: unknown): boolean => isPrimary(error, code.cantOpen);
export const isReadonly = (error: unknown): boolean => isPrimary(error, code.readonly);
export const isConstraintViolation = (error: unknown): boolean => isPrimary(error, code.constraint);
export const isUniqueViolation = (error: unknown): boolean =>
  sqliteCode(error) === extended.unique || sqliteCode(error) === extended.primaryKey;
export const isForeignKeyViolation = (error: unknown): boolean => sqliteCode(error) === extended.foreignKey;

/** Whether the whole transaction must end, whichever statement failed. */
export function isFatal(error: unknown): boolean {
  return isPrimary(
    error,
    code.outOfMemory,
    code.readonly,
    code.ioError,
    code.corrupt,
    code.full,
    code.cantOpen,
    code.notADatabase,
    code.busy,
  );
}

/**
 * Converts an error to the one that all writes of a group receive. After an I/O error, the file
 * must be reopened before the next write. The state on the disk after a failed fsync is unknown,
 * and a second fsync may report a false success.
 */
export function asUnavailable(cause: unknown): StoreUnavailable {
  const found = sqliteCode(cause);
  if (isPrimary(cause, code.full) || (found !== undefined && ioErrorsBeforeWriting.has(found))) {
    return new StoreUnavailable("The disk is full; the change isn't stored.", { retryable: true, cause });
  }
  if (isPrimary(cause, code.busy, code.outOfMemory)) {
    return new StoreUnavailable("The store is busy or out of memory; the change isn't stored.", {
      retryable: true,
      cause,
    });
  }
  const words = messageOf(cause);
  return new StoreUnavailable(`The store can't write any more until it is opened again: ${words}.`, {
    retryable: false,
    cause,
  });
}
