/** A store that is being made by a move says so of itself, until it is finished: whoever would serve it before that is refused. */
import { StoreRefused } from "../errors.ts";
import type { Started } from "./ends.ts";

/** Under this name the move stands among what a store says of itself. */
export const movingMeta = "moving";

/** @param found what stands there @throws StoreRefused */
export function refuseUnfinished(found: string | undefined, shown: string): void {
  if (found === undefined) return;
  const { from }: Started = JSON.parse(found);
  throw new StoreRefused(
    `${shown} is a copy of ${from} that isn't finished.`,
    `Finish it: ninefold data copy ${from} ${shown}`,
  );
}
