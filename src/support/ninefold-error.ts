/**
 * The root of the errors that a caller of ours can expect, in four families by who can do something about them. The
 * command line, the operations API and embedding programs sort errors by `kind`; `name` is the single reason,
 * and `cause` is the error behind it. Anything else that is thrown is a fault.
 */

/**
 * - `usage`: the question itself is wrong, such as an unknown option or field.
 * - `refused`: a document, a file or a value breaks a rule. Nothing was changed.
 * - `conflict`: what the caller has seen has changed meanwhile.
 * - `unavailable`: something outside is missing, in use, failing or too slow.
 */
export type ErrorKind = "usage" | "refused" | "conflict" | "unavailable";

export abstract class NinefoldError extends Error {
  abstract readonly kind: ErrorKind;
}

export class UsageError extends NinefoldError {
  override name = "UsageError";
  readonly kind = "usage";
}

export class RefusedError extends NinefoldError {
  override name = "RefusedError";
  readonly kind = "refused";
}

export class ConflictError extends NinefoldError {
  override name = "ConflictError";
  readonly kind = "conflict";
}

export class UnavailableError extends NinefoldError {
  override name = "UnavailableError";
  readonly kind = "unavailable";
}
