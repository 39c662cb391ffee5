/** What an error of PostgreSQL, or of the way to it, means to a store. */
import { StatementTimedOut, StoreUnavailable } from "../errors.ts";

interface DatabaseFailure extends Error {
  readonly code: string;
  readonly constraint?: string;
  readonly table?: string;
}

/** Broken laws. */
const unique = "23505";
const foreignKey = "23503";
/** A statement that came behind one that has failed. */
const abortedTransaction = "25P02";
const canceled = "57014";

/** Of each class of errors, whether the next transaction may do better. */
const passing: ReadonlySet<string> = new Set(["08", "40", "53", "55", "57", "58"]);

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

export function isBehindFailure(error: unknown): boolean {
  return failureOf(error)?.code === abortedTransaction;
}

/** The whole transaction can't go on, whatever this one statement was about: the way is lost, or the server has no room or no time. */
export function isFatal(error: unknown): boolean {
  const failure = failureOf(error);
  if (failure === undefined) return isOfTheWay(error);
  return failure.code !== canceled && passing.has(failure.code.slice(0, 2));
}

/** What the operating system or the driver says of the connection. */
function isOfTheWay(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code;
  return (
    (code !== undefined && /^E[A-Z]+$/.test(code)) ||
    /connection (?:terminated|error)|not queryable|timeout/i.test(error.message)
  );
}

/** What all writes of a group are told. Nothing of PostgreSQL stays broken: the next group has another connection. */
export function asUnavailable(cause: unknown): StoreUnavailable {
  const failure = failureOf(cause);
  const words = cause instanceof Error ? cause.message : String(cause);
  if (failure?.code === "25006")
    return new StoreUnavailable("The database can only be read at the moment; the change isn't stored.", {
      retryable: true,
      cause,
    });
  if (failure?.code.startsWith("53"))
    return new StoreUnavailable(`The database has no room: ${words}; the change isn't stored.`, {
      retryable: true,
      cause,
    });
  if (failure?.code === "55P03" || failure?.code === canceled)
    return new StoreUnavailable("The database is busy with other writes; the change isn't stored.", {
      retryable: true,
      cause,
    });
  return new StoreUnavailable(`The database can't be reached, or has refused: ${words}.`, {
    retryable: true,
    cause,
  });
}

/** The error of a read. */
export function asReadFailure(error: unknown, statementMs: number): unknown {
  if (failureOf(error)?.code === canceled) return new StatementTimedOut(statementMs);
  return isFatal(error) ? asUnavailable(error) : error;
}
