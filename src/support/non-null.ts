/** Non-null assertion that throws a fault. */
import { Fault } from "./invariant.ts";

/**
 * Asserts that a value exists, where our own code guarantees it: an element of a non-empty list, a
 * group of a pattern.
 * @throws Fault
 */
export function nonNull<T>(value: T | undefined): T {
  if (value === undefined) throw new Fault("a required value is missing");
  return value;
}
