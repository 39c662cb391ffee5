/**
 * Failures of PostgreSQL and of its connection: classifies errors, and converts them to the store's
 * errors.
 */
import { StatementTimedOut, StoreUnavailable } from "../../errors.ts";
import { codeOf, messageOf } from "../../../support/failure.ts";

interface DatabaseFailure extends Error {
  readonly code: string;
  readonly constraint?: string;
  readonly table?: string;
}

/** SQLSTATE codes of constraint violations. */
const unique = "23505";
const foreignKey = "23503";
/** A statement after a failed one in the same transaction. */
const abortedTransaction = "25P02";
const canceled = "57014";
const lockNotAvailable = "55P03";

const readOnly = "25006";
const serializationFailure = "40001";
const deadlock = "40P01";

/**
 * SQLSTATE classes of errors that concern the server, and not the statement. The statement may
 * succeed later.
 */
const passing: ReadonlySet<string> = new Set(["08", "28", "40", "53", "55", "57", "58", "F0"]);
/**
 * Single SQLSTATE codes of that kind. The database is read-only, or the session or its transaction
 * was ended by a timeout. A database, privilege, table or schema was removed, or data is damaged.
 * Class 28 above is a rejected login: the password was changed, or the role may not log in any
 * more.
 */
const passingCodes: ReadonlySet<string> = new Set([
  readOnly,
  "25P03",
  "25P04",
  "3D000",
  "42501",
  "42P01",
  "3F000",
  "XX001",
  "XX002",
]);

/** The address leads to a standby server, which only accepts reads. */
export class StandbyAnswers extends Error {
  override name = "StandbyAnswers";
  readonly code = readOnly;
  constructor() {
    super("a standby answers, which can only be read");
  }
}

/** The group needs the numbers of its events before its end. It is run again, alone. */
export class LogNeeded extends Error {
  override name = "LogNeeded";
  readonly code = serializationFailure;
  constructor() {
    super("the group has to lock the log");
  }
}

/** No data arrives on the connection, although neither side has closed it. */
export class ConnectionTimeout extends Error {
  override name = "ConnectionTimeout";
  constructor(ms: number) {
    super(`timeout: no response for ${ms} ms`);
  }
}

function failureOf(error: unknown): DatabaseFailure | undefined {
  const code = error instanceof Error ? (error as Partial<DatabaseFailure>).code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? (error as DatabaseFailure) : undefined;
}

export function isUniqueViolation(error: unknown): error is DatabaseFailure {
  return failureOf(error)?.code === unique;
}

/**
 * Whether `CREATE … IF NOT EXISTS` failed because another session created the same at that moment:
 * as a row of the catalog, a schema, a type or a table.
 */
export function isConcurrentCreation(error: unknown): boolean {
  return ["23505", "42P06", "42710", "42P07"].includes(failureOf(error)?.code ?? "");
}

export function isForeignKeyViolation(error: unknown): error is DatabaseFailure {
  return failureOf(error)?.code === foreignKey;
}

/** Whether another session has held a required lock for longer than the lock timeout. */
export function isLockTimeout(error: unknown): boolean {
  return failureOf(error)?.code === lockNotAvailable;
}

/** Whether the server lacks a function, or this user may not call it. */
export function isMissingFunction(error: unknown): boolean {
  return ["0A000", "42501", "42883"].includes(failureOf(error)?.code ?? "");
}

/** Whether a conflict with another transaction made it fail. Running it again may succeed. */
export function isConflict(error: unknown): boolean {
  const code = failureOf(error)?.code;
  return code === serializationFailure || code === deadlock;
}

/** Whether a statement failed only because an earlier one in its transaction failed. */
export function isBehindFailure(error: unknown): boolean {
  return failureOf(error)?.code === abortedTransaction;
}

/**
 * Whether the whole transaction must end, whichever statement failed. The connection is lost, or
 * the server lacks space or time.
 */
export function isFatal(error: unknown): boolean {
  const failure = failureOf(error);
  if (failure === undefined) return isOfTheWay(error);
  if (failure.code === canceled) return false;
  return passing.has(failure.code.slice(0, 2)) || passingCodes.has(failure.code);
}

/** Whether the operating system or the driver reports an error of the connection. */
function isOfTheWay(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return (
    (code !== undefined && /^E[A-Z]+$/.test(code)) ||
    /connection (?:terminated|error)|not queryable|timeout/i.test(error.message)
  );
}

/**
 * Converts the error of a COMMIT that failed or got no response. An error from the server means
 * that nothing is stored. The exception is a server that is shutting down: it may be waiting for
 * its standby.
 */
export function asCommitFailure(cause: unknown): StoreUnavailable {
  const failure = failureOf(cause);
  if (failure !== undefined && !failure.code.startsWith("57P") && !failure.code.startsWith("08"))
    return asUnavailable(cause);
  const words = messageOf(cause);
  return new StoreUnavailable(
    `The connection to the database was lost while it stored a change, so it is unknown whether it is stored: ${words}.`,
    { retryable: true, isKnown: false, cause },
  );
}

/**
 * Converts an error to the one that all writes of a group receive. PostgreSQL needs no recovery:
 * the next group uses another connection.
 */
export function asUnavailable(cause: unknown): StoreUnavailable {
  const failure = failureOf(cause);
  const words = messageOf(cause);
  if (failure?.code === readOnly)
    return new StoreUnavailable("The database can only be read at the moment; the change isn't stored.", {
      retryable: true,
      cause,
    });
  if (failure?.code.startsWith("53"))
    return new StoreUnavailable(`The database has no space: ${words}; the change isn't stored.`, {
      retryable: true,
      cause,
    });
  if (failure?.code === "42501" || failure?.code === "42P01" || failure?.code === "3F000")
    return new StoreUnavailable(`The database rejects a statement that it accepted before: ${words}.`, {
      retryable: true,
      cause,
    });
  if (failure?.code === lockNotAvailable || failure?.code === canceled || isConflict(cause))
    return new StoreUnavailable("The database is busy with other writes; the change isn't stored.", {
      retryable: true,
      cause,
    });
  return new StoreUnavailable(`The database can't be reached, or refused the connection: ${words}.`, {
    retryable: true,
    cause,
  });
}

/**
 * Converts the error of a read.
 * @param statementMs the statement timeout, for the message
 */
export function asReadFailure(error: unknown, statementMs: number): unknown {
  if (failureOf(error)?.code === canceled) return new StatementTimedOut(statementMs);
  return isFatal(error) ? asUnavailable(error) : error;
}
