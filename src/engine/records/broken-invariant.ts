/**
 * Broken invariant: a change would violate an `Always` of its resource (part 2). The client
 * receives an internal error, and nothing is stored.
 */
import { Fault } from "../../support/invariant.ts";
import type { Position } from "../../source/source.ts";

export class BrokenInvariant extends Fault {
  override name = "BrokenInvariant";
  readonly position: Position;

  constructor(resource: string, position: Position) {
    super(`an invariant of ${resource} (line ${position.start.line}) would be broken`);
    this.position = position;
  }
}
