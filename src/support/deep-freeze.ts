/** Deep freeze of plain data. Shared parts (one type in many positions) are frozen once. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // `for…in` avoids a list of values for each object; plain data inherits no keys.
  for (const key in value) deepFreeze(value[key]);
  return value;
}
