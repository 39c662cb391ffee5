/** Early exit: leaves nested work with a result, as `return` leaves a function. */
import { Fault } from "./invariant.ts";

/** Leaves the work. It throws, so a transaction around the call is rolled back. */
export type Exit<T> = (result: T) => never;

/** Runs the work, and returns its result or the one with which it was left. */
export async function withExit<T>(work: (exit: Exit<T>) => Promise<T>): Promise<T> {
  let left: { readonly by: Fault; readonly result: T } | undefined;
  try {
    return await work((result) => {
      left = { by: new Fault("`withExit` was left after its end"), result };
      throw left.by;
    });
  } catch (error) {
    if (left !== undefined && error === left.by) return left.result;
    throw error;
  }
}
