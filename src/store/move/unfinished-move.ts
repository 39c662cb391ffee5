/**
 * Marks a store as the target of an unfinished move, so that no process serves it before the move
 * is finished.
 */
import { StoreRefused } from "../errors.ts";
import type { StartedMove } from "./source-and-target.ts";

/** The name of the setting that holds the move. */
export const unfinishedMoveKey = "moving";

/** @param found the value of the setting @throws StoreRefused */
export function refuseUnfinished(found: string | undefined, shown: string): void {
  if (found === undefined) return;
  const { from }: StartedMove = JSON.parse(found);
  throw new StoreRefused(
    `${shown} is a copy of ${from} that isn't finished.`,
    `Finish it: ninefold data copy ${from} ${shown}`,
  );
}
