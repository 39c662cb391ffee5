/** Part 8: where no request is under way, nobody has a place. */
import type { Law } from "../moment.ts";

export const placesGivenBack: Law = ({ world, isIdle }) => {
  if (!isIdle) return [];
  const { places, keysUnderWay } = world.service.inside.shared;
  const held = [...places].flatMap(([limit, { taken }]) =>
    [...taken].map(([key, count]) => `${key} has ${count} of ${limit.count} places, and nothing is asked`),
  );
  const keys = [...keysUnderWay.own.keys()].map((key) => `${key} is still under way, and nothing is asked`);
  return [...held, ...keys];
};
