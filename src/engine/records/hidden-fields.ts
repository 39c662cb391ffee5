/** Which fields are held back from the world, and how. */
import { hasRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Field } from "../../model/model.ts";

/** Rules that hold a value back from the world: `password` and `credential` fields are stored as hashes. */
export function isHashed(type: FieldType): boolean {
  return type.kind === "password" || type.kind === "credential";
}

/** Fields that no output shows after the request that set them. */
export function isHidden({ type, rules }: Pick<Field, "type" | "rules">): boolean {
  return (
    isHashed(type) ||
    hasRule(rules, "internal") ||
    hasRule(rules, "write-only") ||
    hasRule(rules, "shown once")
  );
}
