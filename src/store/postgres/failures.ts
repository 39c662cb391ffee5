/** What an error of PostgreSQL, or of the way to it, means to a store. */
import { StatementTimedOut, StoreUnavailable } from "../errors.ts";
import { codeOf, messageOf } from "../../support/failure.ts";

interface DatabaseFailure extends Error {
  readonly code: string;
  readonly constraint?: string;
  readonly table?: string;
}

/** Broken laws. */
const unique = "23505";
const foreignKey = "23503";
/** A statement after a failed one in the same transaction. */
const abortedTransaction = "25P02";
const canceled = "57014";
const lockNotAvailable = "55P03";

const readOnly = "25006";
const serializationFailure = "40001";
const deadlock = "40P01";

/** Classes of errors that say nothing of a statement: whether it can be done at another time is the server's matter. */
const passing: ReadonlySet<string> = new Set(["08", "28", "40", "53", "55", "57", "58", "F0"]);
/**
 * Single error codes of that kind. The database is read-only, or the session or its transaction was
 * ended by a time-out. A database, privilege, table or schema was removed, or data is damaged.
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

/** The address leads to a standby server. */
export class StandbyAnswers extends Error {
  override name = "StandbyAnswers";
  readonly code = readOnly;
  constructor() {
    super("a standby answers, which can only be read");
  }
}

/** A group has to know the numbers of its events before its end: it is run again, alone. */
export class LogNeeded extends Error {
  override name = "LogNeeded";
  readonly code = serializationFailure;
  constructor() {
    super("the group has to lock the log");
  }
}

/** No data arrives, and neither side closed the connection. */
export class ConnectionTimeout extends Error {
  override name = "ConnectionTimeout";
  constructor(ms: number) {
    super(`timeout: nothing has come for ${ms} ms`);
  }
}

function failureOf(error: unknown): DatabaseFailure | undefined {
  const code = error instanceof Error ? (error as Partial<DatabaseFailure>).code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? (error as DatabaseFailure) : undefined;
}

export function isUniqueViolation(error: unknown): error is DatabaseFailure {
  return failureOf(error)?.code === unique;
}

export function isForeignKeyViolation(error: unknown): error is DatabaseFailure {
  return failureOf(error)?.code === foreignKey;
}

/** Another session holds what it needs, for longer than it may wait. */
export function isLockTimeout(error: unknown): boolean {
  return failureOf(error)?.code === lockNotAvailable;
}

/** Another transaction prevents it from having the result that it would have alone: running it again may help. */
export function isConflict(error: unknown): boolean {
  const code = failureOf(error)?.code;
  return code === serializationFailure || code === deadlock;
}

export function isBehindFailure(error: unknown): boolean {
  return failureOf(error)?.code === abortedTransaction;
}

/**
 * The whole transaction can't continue, whichever statement failed: the connection is lost, or the
 * server is out of space or time.
 */
export function isFatal(error: unknown): boolean {
  const failure = failureOf(error);
  if (failure === undefined) return isOfTheWay(error);
  if (failure.code === canceled) return false;
  return passing.has(failure.code.slice(0, 2)) || passingCodes.has(failure.code);
}

/** Errors of the operating system or the driver about the connection. */
function isOfTheWay(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return (
    (code !== undefined && /^E[A-Z]+$/.test(code)) ||
    /connection (?:terminated|error)|not queryable|timeout/i.test(error.message)
  );
}

/**
 * The error of a COMMIT that failed or got no response. An error from the server means that nothing is stored. The
 * exception is a server that is shutting down: it may be waiting for its standby.
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
 * The error that all writes of a group receive. PostgreSQL needs no recovery: the next group uses another connection.
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

/** The error of a read. */
export function asReadFailure(error: unknown, statementMs: number): unknown {
  if (failureOf(error)?.code === canceled) return new StatementTimedOut(statementMs);
  return isFatal(error) ? asUnavailable(error) : error;
}
