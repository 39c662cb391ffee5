/** Deep freeze of plain data. Shared parts (one type in many positions) are frozen once. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // Plain data inherits no key, and a list of values would be made for each object.
  for (const key in value) deepFreeze(value[key]);
  return value;
}
