/**
 * Refusals for operators: an invalid question, invalid fields, or a conflict with another
 * operator's change. Nothing is changed then.
 */
import type { Position } from "../../source/source.ts";
import { TooManyChanges } from "../../store/errors.ts";
import { Problem } from "../problem.ts";
import { BrokenInvariant } from "../records/broken-invariant.ts";
import { BrokenRule } from "../records/broken-rule.ts";
import type { OperatorRecord } from "./operator-record.ts";
import { ConflictError, RefusedError, UsageError } from "../../support/ninefold-error.ts";

/** No record has that identifier. */
export class NoSuchRecord extends RefusedError {
  override name = "NoSuchRecord";
}

/** A mistake in one field, as a predicate: `must be at least 1`. */
export interface FieldError {
  /** The dotted field name; empty for the record as a whole. */
  readonly field: string;
  readonly message: string;
}

/** An invalid question: it names an unknown field, or a value has the wrong type. */
export class WrongQuestion extends UsageError {
  override name = "WrongQuestion";
}

/** The document's rules reject values; each error names its field. */
export class FieldsRefused extends RefusedError {
  override name = "FieldsRefused";
  readonly errors: readonly FieldError[];
  constructor(resource: string, errors: readonly FieldError[]) {
    super(
      errors
        .map(({ field, message }) =>
          field === "" ? `${resource}: ${message}` : `${resource}.${field} ${message}`,
        )
        .join("; "),
    );
    this.errors = errors;
  }
}

/** The record has changed since the operator saw it. */
export class ChangedMeanwhile extends ConflictError {
  override name = "ChangedMeanwhile";
  /** The record in its present state; absent if it was deleted. */
  readonly now: OperatorRecord | undefined;
  constructor(message: string, now?: OperatorRecord) {
    super(message);
    this.now = now;
  }
}

/**
 * Converts a rejection by the document's rules to errors by field; undefined for any other error.
 */
export function fieldsRefusedBy(error: unknown, resource: string): FieldsRefused | undefined {
  if (error instanceof FieldsRefused) return error;
  if (error instanceof Problem) {
    return new FieldsRefused(
      resource,
      error.details.map(({ field, ofField, problem }) => ({
        field: ofField ?? field ?? "",
        message: problem + lineText(error.because),
      })),
    );
  }
  if (error instanceof BrokenRule)
    return new FieldsRefused(resource, [
      error.resource === resource
        ? { field: error.field, message: error.reason }
        : { field: "", message: error.message },
    ]);
  if (error instanceof BrokenInvariant || error instanceof TooManyChanges)
    return new FieldsRefused(resource, [{ field: "", message: error.message }]);
  return undefined;
}

function lineText(because: Position | undefined): string {
  return because ? ` (line ${because.start.line})` : "";
}
