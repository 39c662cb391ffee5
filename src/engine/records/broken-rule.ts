/**
 * Broken rule: a value that the service computed for a field violates the field's rule (part 2).
 * The client receives an internal error unless the request lacks inputs that the value depends on.
 */
import { Fault } from "../../support/invariant.ts";

export class BrokenRule extends Fault {
  override name = "BrokenRule";
  readonly resource: string;
  readonly field: string;
  /** Completes a sentence that starts with the field's name. */
  readonly reason: string;

  /** The field is required and has no value. */
  readonly isMissing: boolean;

  constructor(resource: string, field: string, reason: string, isMissing = false) {
    super(`${resource}.${field} ${reason}`);
    this.isMissing = isMissing;
    this.resource = resource;
    this.field = field;
    this.reason = reason;
  }
}
