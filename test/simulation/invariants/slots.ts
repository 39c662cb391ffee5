/** Part 8: without a request in progress, no slot is held. */
import type { Invariant } from "../moment.ts";

export const slotsReleased: Invariant = ({ world, isIdle }) => {
  if (!isIdle) return [];
  const { slots, inFlightKeys } = world.service.internals.shared;
  const held = [...slots].flatMap(([limit, { inUse }]) =>
    [...inUse].map(
      ([key, count]) => `${key} has ${count} of ${limit.count} places, and no request is in progress`,
    ),
  );
  const keys = [...inFlightKeys.own.keys()].map((key) => `${key} is still in progress, and no request is`);
  return [...held, ...keys];
};
