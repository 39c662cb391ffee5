/** Part 8: where no request is under way, nobody has a place. */
import type { Law } from "../moment.ts";

export const placesGivenBack: Law = ({ world, isIdle }) => {
  if (!isIdle) return [];
  const { slots, inFlightKeys } = world.service.internals.shared;
  const held = [...slots].flatMap(([limit, { inUse }]) =>
    [...inUse].map(([key, count]) => `${key} has ${count} of ${limit.count} places, and nothing is asked`),
  );
  const keys = [...inFlightKeys.own.keys()].map((key) => `${key} is still under way, and nothing is asked`);
  return [...held, ...keys];
};
