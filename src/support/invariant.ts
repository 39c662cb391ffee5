/** A fault: our own bug, never the author's or the caller's. */
export class Fault extends Error {
  override name = "Fault";
}

/** Throws a `Fault` when something that our own code guarantees does not hold. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Fault(message);
}
