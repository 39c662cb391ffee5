import { Fault } from "./invariant.ts";

/**
 * What our own code guarantees to be there: an element of a list that isn't empty, a group that its
 * pattern always has.
 * @throws Fault
 */
export function nonNull<T>(value: T | undefined): T {
  if (value === undefined) throw new Fault("a required value is missing");
  return value;
}
