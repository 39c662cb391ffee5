/** What the service itself has worked out for a field breaks a rule of it (part 2): an internal error, unless a caller has left out what it was made of. */
import { Fault } from "../../support/invariant.ts";

export class BrokenRule extends Fault {
  override name = "BrokenRule";
  readonly resource: string;
  readonly field: string;
  /** Completes the field's name. */
  readonly reason: string;

  /** It is required, and there is none. */
  readonly isMissing: boolean;

  constructor(resource: string, field: string, reason: string, isMissing = false) {
    super(`${resource}.${field} ${reason}`);
    this.isMissing = isMissing;
    this.resource = resource;
    this.field = field;
    this.reason = reason;
  }
}
