/** Internal fault: a bug of Ninefold, never a mistake of the author or the caller. */
export class Fault extends Error {
  override name = "Fault";
}

/** Throws a `Fault` when something that our own code guarantees does not hold. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Fault(message);
}
