/** A change would leave a record for which an `Always` of its resource doesn't hold (part 2): an internal error, and nothing is stored. */
import { Fault } from "../../support/invariant.ts";
import type { Position } from "../../source/source.ts";

export class BrokenInvariant extends Fault {
  override name = "BrokenLaw";
  readonly position: Position;

  constructor(resource: string, position: Position) {
    super(`a law of ${resource} (line ${position.start.line}) would be broken`);
    this.position = position;
  }
}
