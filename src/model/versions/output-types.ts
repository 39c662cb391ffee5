/** Types of values that are composed of versioned outputs. */
import { type Type, types } from "../../expressions/type.ts";

/** The common type of two values that aren't null. An object has all keys that either of them may have. */
export function eitherType(left: Type, right: Type): Type {
  if (left.kind === "null") return right;
  if (right.kind === "null") return left;
  if (left.kind === "object" && right.kind === "object") return ofBothKeys(left, right, eitherType);
  return JSON.stringify(left) === JSON.stringify(right) ? left : types.any;
}

/** The common type of several objects. The given type if some are not objects. */
export function mergedType(given: readonly Type[], before: Type): Type {
  return given.reduce<Type>(
    (left, right) =>
      left.kind === "object" && right.kind === "object"
        ? ofBothKeys(left, right, (_, later) => later)
        : before,
    { kind: "object", fields: {} },
  );
}

function ofBothKeys(
  left: Extract<Type, { kind: "object" }>,
  right: Extract<Type, { kind: "object" }>,
  both: (left: Type, right: Type) => Type,
): Type {
  const fields: Record<string, Type> = { ...left.fields };
  for (const [key, type] of Object.entries(right.fields)) {
    const before = fields[key];
    fields[key] = before ? both(before, type) : type;
  }
  return { kind: "object", fields, ...(left.open || right.open ? { open: true } : {}) };
}
