/** The types of what is put together of things that are shown in other words. */
import { type Type, types } from "../../expressions/type.ts";

/** Of one thing or the other, neither of which is null for certain; of objects all keys that either may have. */
export function eitherType(one: Type, other: Type): Type {
  if (one.kind === "null") return other;
  if (other.kind === "null") return one;
  if (one.kind === "object" && other.kind === "object") return ofBothKeys(one, other, eitherType);
  return JSON.stringify(one) === JSON.stringify(other) ? one : types.any;
}

/** Of several objects as one; what it was taken for where some are no objects. */
export function mergedType(given: readonly Type[], before: Type): Type {
  return given.reduce<Type>(
    (one, other) =>
      one.kind === "object" && other.kind === "object" ? ofBothKeys(one, other, (_, later) => later) : before,
    { kind: "object", fields: {} },
  );
}

function ofBothKeys(
  one: Extract<Type, { kind: "object" }>,
  other: Extract<Type, { kind: "object" }>,
  both: (one: Type, other: Type) => Type,
): Type {
  const fields: Record<string, Type> = { ...one.fields };
  for (const [key, type] of Object.entries(other.fields)) {
    const before = fields[key];
    fields[key] = before ? both(before, type) : type;
  }
  return { kind: "object", fields, ...(one.open || other.open ? { open: true } : {}) };
}
